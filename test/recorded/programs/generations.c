// Four threads that count side by side in one line, and meet at a barrier after every round.
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 20, COUNTS = 1000 };
static pthread_barrier_t all;
static struct { _Alignas(64) volatile long of[THREADS]; } counted;

static void *count(void *argument) {
  long number = (long)argument;
  pthread_barrier_wait(&all);
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < COUNTS; i++) counted.of[number]++;
    pthread_barrier_wait(&all);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&all, NULL, THREADS);
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, count, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return pthread_barrier_destroy(&all);
}
