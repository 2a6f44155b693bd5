// 200 threads that are all alive at once: each stores once, waits for the others, and stores again.
#include <pthread.h>
#include <stdio.h>

#include "instrumented.h"

enum { THREADS = 200 };
static pthread_barrier_t all;
static long numbers[THREADS];

static void *work(void *argument) {
  store_one((long *)argument, 1);
  pthread_barrier_wait(&all);
  store_one((long *)argument, 2);
  return 0;
}

int main(void) {
  pthread_t thread[THREADS];
  pthread_barrier_init(&all, 0, THREADS);
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&thread[i], 0, work, &numbers[i])) return 1;
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], 0);
  long sum = 0;
  for (int i = 0; i < THREADS; i++) sum += numbers[i];
  printf("%ld\n", sum);
  return 0;
}
