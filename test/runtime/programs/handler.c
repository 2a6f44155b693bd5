// 300,000 stores in a fixed sequence, interrupted by a timer whose handler loads twice each time. Prints how often it ran.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "instrumented.h"

static long numbers[1000];
static volatile sig_atomic_t ran;

static void on_timer(int number) {
  (void)number;
  ran++;
  load_two(&numbers[0], &numbers[1]);
  load_two(&numbers[2], &numbers[3]);
  errno = 99;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART}, old;
  sigaction(SIGALRM, &action, 0);
  sigaction(SIGALRM, 0, &old);
  if (old.sa_handler != on_timer || old.sa_flags & SA_SIGINFO) return 2;
  struct itimerval every = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &every, 0);
  for (int i = 0; i < 300000; i++) store_one(&numbers[i % 1000], i);
  while (ran < 5) store_one(&test_global, 1);
  setitimer(ITIMER_REAL, &never, 0);
  printf("%d\n", (int)ran);
  return 0;
}
