// Functions that an exception or a longjmp leaves in their middle, and handlers that go on: known numbers of times.
#include <csetjmp>
#include <cstdlib>

#define NOINLINE __attribute__((noinline))

static volatile long odd, even, caught;

NOINLINE static void may_throw(int number) {
  if (number % 3 == 0) throw number;
}

NOINLINE static int middle(int number) { // every third call is left in its middle
  even = even + 1;
  may_throw(number);
  if (number & 1) odd = odd + number;
  else even = even + number;
  return number;
}

struct Guard {
  ~Guard() { odd = odd + 2; }
};

NOINLINE static int guarded(int number) { // cleans up on the way
  Guard guard;
  return middle(number) + 1;
}

NOINLINE static long loop(int count) {
  long sum = 0;
  for (int i = 1; i <= count; i++) {
    try {
      sum += guarded(i);
    } catch (int number) {
      caught = caught + number;
    }
  }
  return sum;
}

static std::jmp_buf back;

NOINLINE static void leave(int number) {
  if (number % 5 == 0) std::longjmp(back, number);
  even = even + 1;
}

NOINLINE static long jumps(int count) { // every fifth iteration begins anew
  volatile long again = 0;
  volatile int number = 0;
  if (setjmp(back) != 0) again = again + 1;
  while (number < count) {
    number = number + 1;
    leave(number);
    odd = odd + 1;
  }
  return again;
}

int main() {
  long sum = loop(300);
  sum += jumps(200);
  return sum == 0 ? 1 : 0;
}
