// Threads come and go in waves, walk over arrays of their own, fork children that do the same with threads of their own, and raise signals.
// Argument 1: how many waves (32 threads each); argument 2: "return", "exit" (one thread calls exit(7) in the middle of the last wave) or
// "kill" (likewise, SIGKILL).
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instrumented.h"

enum { WAVE = 32, STEPS = 6000, CHILD_THREADS = 3 };
static long trails[WAVE][STEPS];
static const char *end;
static int is_last;
static atomic_int are_there; // all threads of the wave

static void on_signal(int number) {
  (void)number;
  for (int i = 0; i < 5; i++) update((atomic_long *)&test_global);
}

static void walk(long *trail) {
  for (int i = 0; i < STEPS; i++) store_one(&trail[i], i);
}

static void *walk_in_child(void *argument) {
  walk(argument);
  return 0;
}

static void have_child(void) {
  while (!are_there) usleep(100); // a child that begins while a thread is created may find locks that nobody opens
  pid_t child = fork();
  if (!child) {
    pthread_t threads[CHILD_THREADS];
    for (int i = 0; i < CHILD_THREADS; i++) pthread_create(&threads[i], 0, walk_in_child, trails[i]);
    for (int i = 0; i < CHILD_THREADS; i++) pthread_join(threads[i], 0);
    _exit(0);
  }
  while (waitpid(child, 0, 0) != child) continue;
}

static void *work(void *argument) {
  const long which = (long)argument;
  walk(trails[which]);
  if (which % 8 == 1) have_child();
  if (which % 4 == 2) pthread_kill(pthread_self(), SIGUSR1);
  if (is_last && which == WAVE / 2) {
    if (!strcmp(end, "exit")) exit(7);
    if (!strcmp(end, "kill")) kill(getpid(), SIGKILL);
  }
  walk(trails[which]);
  return 0;
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  const int waves = atoi(arguments[1]);
  end = arguments[2];
  signal(SIGUSR1, on_signal);
  for (int wave = 0; wave < waves; wave++) {
    pthread_t threads[WAVE];
    is_last = wave == waves - 1;
    are_there = 0;
    for (long i = 0; i < WAVE; i++) pthread_create(&threads[i], 0, work, (void *)i);
    are_there = 1;
    for (int i = 0; i < WAVE; i++) pthread_join(threads[i], 0);
  }
  return 0;
}
