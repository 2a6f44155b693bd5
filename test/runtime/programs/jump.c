// Leaves signal handlers by siglongjmp. "fault": ten stores to an address that does not exist, each in the middle of its path, whose first word
// is not written (as in a gap). "late": the same when the path is visible, but the cursor not moved yet.
// "timer": 300,000 stores in sequence, a timer's handler jumps back into the loop. "stack": as fault, on a signal stack.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "instrumented.h"

static sigjmp_buf again;
static long numbers[1000];
static volatile int jumps;
static char signal_stack[65536];

static void on_signal(int number) {
  (void)number;
  load_two(&numbers[0], &numbers[1]);
  jumps++;
  siglongjmp(again, 1);
}

static void fault(int late) {
  static volatile int i;
  for (i = 0; i < 10; i++) {
    store_one(&numbers[i], i);
    if (!sigsetjmp(again, 1)) {
      uint64_t *cursor = room(6);
      for (int word = 2; word < 4; word++) ((volatile uint64_t *)cursor)[word] = 0x1234567800 + word;
      if (late) *(volatile uint64_t *)cursor = (uintptr_t)&unit.regions[FIVE];
      *(volatile long *)8 = 1;
      commit(cursor, FIVE, 5);
    }
  }
}

static void timer(void) {
  static volatile int i;
  struct itimerval every = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
  sigsetjmp(again, 1);
  setitimer(ITIMER_REAL, &every, 0);
  for (; i < 300000 || jumps < 3; i++) store_one(&numbers[i % 1000], i);
  setitimer(ITIMER_REAL, &never, 0);
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "fault";
  stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
  int on_stack = !strcmp(mode, "stack");
  if (on_stack) sigaltstack(&stack, 0);
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = on_stack ? SA_ONSTACK : 0};
  sigaction(SIGSEGV, &action, 0);
  sigaction(SIGALRM, &action, 0);
  if (!strcmp(mode, "timer")) timer();
  else fault(!strcmp(mode, "late"));
  printf("%d\n", jumps);
  return 0;
}
