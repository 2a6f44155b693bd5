// An allocator puts small objects of several threads into one line: the main thread allocates one for each, and they
// only ever use their own. Fix: the object is allocated in whole lines.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 4
#endif
enum { ROUNDS = 20000 };

struct counter {
  volatile long hits;
};

static struct counter *make_counter(void) {
#ifdef FIXED
  struct counter *made = aligned_alloc(64, 64);
#else
  struct counter *made = malloc(sizeof(struct counter)); // allocated
#endif
  made->hits = 0;
  return made;
}

static void *use(void *argument) {
  struct counter *mine = argument;
  for (int i = 0; i < ROUNDS; i++) mine->hits = mine->hits + 1; // the finding
  return NULL;
}

int main(void) {
  struct counter *counters[THREADS];
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; t++) counters[t] = make_counter();
  for (int t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, use, counters[t]);
  long total = 0;
  for (int t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    total += counters[t]->hits;
    free(counters[t]);
  }
  printf("%ld\n", total);
}
