// What the case studies have in common: one thread for each core, rounds that they begin together, and a clock.
//
// Threads of a real server meet by chance. These meet at barriers, so that every recording of them has the same order and the pages that quote
// their numbers stay true. Natively barriers that sleep would take most of the time: -DNATIVE has them wait actively, and
// measures throughput.
#ifndef CORES_H
#define CORES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dprof.h"

#define LINE 64
#define MOST_CORES 16

#ifdef NATIVE
static _Alignas(LINE) atomic_int arrived;
static _Alignas(LINE) atomic_int generation;
static int expected;

static void meet(void) {
  int mine = atomic_load(&generation);
  if (atomic_fetch_add(&arrived, 1) + 1 == expected) {
    atomic_store(&arrived, 0);
    atomic_store(&generation, mine + 1);
    return;
  }
  while (atomic_load(&generation) == mine)
    ;
}

static void expect(int cores) { expected = cores; }
#else
static pthread_barrier_t barrier;

static void meet(void) { pthread_barrier_wait(&barrier); }
static void expect(int cores) { pthread_barrier_init(&barrier, NULL, cores); }
#endif

/// Natively, says how many of `what` were done in a second since `begin`; recorded programs look at no clock.
static double seconds(void) {
#ifdef NATIVE
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#else
  return 0;
#endif
}

static void tell_rate(const char *what, long done, double begin) {
  double took = seconds() - begin;
  if (took > 0)
    printf("%.0f %s a second\n", (double)done / took, what);
}

/// Runs `body` on so many threads, thread n with n as its argument; main is the first one.
static void run_on(int cores, void *(*body)(void *)) {
  static pthread_t threads[MOST_CORES]; // where a stack begins depends on the environment
  expect(cores);
  for (long core = 1; core < cores; core++)
    pthread_create(&threads[core], NULL, body, (void *)core);
  body((void *)0);
  for (int core = 1; core < cores; core++)
    pthread_join(threads[core], NULL);
}

#endif
