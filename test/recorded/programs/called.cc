// Ways to an allocation: straight, by recursion, after an exception and a longjmp, and in a thread.
#include <setjmp.h>
#include <stdlib.h>
#include <thread>

static volatile int depth;
static void *volatile kept;
static jmp_buf back;

__attribute__((noinline)) static void *make(int bytes) { depth = depth + 1; kept = malloc(bytes); return kept; } // 100 + way
__attribute__((noinline)) static void outer(int bytes) { depth = 1; make(bytes); depth = 2; }
__attribute__((noinline)) static void down(int n, int bytes) {
  depth = n;
  if (n == 0) make(bytes);
  else down(n - 1, bytes);
  depth = n;
}
__attribute__((noinline)) static void fails() { depth = 3; throw 1; }
__attribute__((noinline)) static void jumps() { depth = 4; longjmp(back, 1); }

int main() {
  outer(101);
  down(5, 102);
  try { fails(); } catch (int) { depth = 5; }
  outer(103);
  if (setjmp(back) == 0) jumps();
  depth = 6;
  make(104);
  std::thread(outer, 105).join();
  free(kept);
}
