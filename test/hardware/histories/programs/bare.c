// A thread made by a bare clone, which no library hears of: it looks at the object once after half a second.
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <time.h>

struct bare {
  volatile long seen;
  volatile int done;
};

__attribute__((noinline)) static void look(struct bare *b) { b->seen = 1; }

static int thread(void *argument) {
  struct timespec half = {0, 500000000};
  nanosleep(&half, 0);
  look(argument);
  ((struct bare *)argument)->done = 1;
  return 0;
}

int main(void) {
  struct bare *b = malloc(sizeof *b);
  static char stack[65536] __attribute__((aligned(16)));
  b->done = 0;
  clone(thread, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, b);
  struct timespec one = {1, 0};
  nanosleep(&one, 0);
  free(b);
  return 0;
}
