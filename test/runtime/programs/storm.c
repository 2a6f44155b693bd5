// Four threads allocate, log and raise signals at each other for a while; two fork. Everything must still be counted:
// prints the number of stores that were made.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instrumented.h"

static atomic_long stores;
static long numbers[64];

static void on_signal(int number) {
  (void)number;
  for (int i = 0; i < 3; i++) store_one(&numbers[i], i);
  atomic_fetch_add(&stores, 3);
}

static void *work(void *argument) {
  for (int i = 0; i < 20000; i++) {
    long *p = malloc(16 + (size_t)i % 100);
    store_one(p, i);
    free(p);
    if (argument && i % 4000 == 3999) {
      pid_t child = fork();
      if (!child) _exit(0);
      while (waitpid(child, 0, 0) != child) continue;
    }
  }
  atomic_fetch_add(&stores, 20000);
  return 0;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, 0);
  struct itimerval every = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &every, 0);
  pthread_t thread[4];
  for (long i = 0; i < 4; i++) pthread_create(&thread[i], 0, work, (void *)(i & 1));
  for (int i = 0; i < 4; i++) pthread_join(thread[i], 0);
  setitimer(ITIMER_REAL, &never, 0);
  printf("%ld\n", (long)stores);
  return 0;
}
