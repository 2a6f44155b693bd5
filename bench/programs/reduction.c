// Threads that each sum a part of an array, again and again, and add their sums under a lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, COUNT = 1 << 22 };

struct part {
  const int *begin;
  size_t count;
  int rounds;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *sum(void *argument) {
  const struct part *part = argument;
  for (int round = 0; round < part->rounds; round++) {
    long own = 0;
    for (size_t i = 0; i < part->count; i++) own += part->begin[i] ^ round;
    pthread_mutex_lock(&lock);
    total += own;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1500;
  int *values = malloc(COUNT * sizeof *values);
  for (int i = 0; i < COUNT; i++) values[i] = i * 7;
  pthread_t threads[THREADS];
  struct part parts[THREADS];
  for (int t = 0; t < THREADS; t++) {
    parts[t] = (struct part){values + t * (COUNT / THREADS), COUNT / THREADS, rounds};
    pthread_create(&threads[t], NULL, sum, &parts[t]);
  }
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
  printf("%ld\n", total);
  free(values);
}
