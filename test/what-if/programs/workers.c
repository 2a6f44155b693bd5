// Four threads, each with counters of its own, all in one array: they count what is in a list of jobs.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct counter {
  long hits;
  long bytes;
#ifdef CHANGED
} __attribute__((aligned(64)));
#else
};
#endif

struct job {
  struct job *next;
  long size;
};

static struct counter counters[4];
static struct job *jobs;

static void *work(void *number) {
  struct counter *own = &counters[(long)number];
  for (struct job *job = jobs; job; job = job->next) {
    own->hits++;
    own->bytes += job->size;
  }
  return NULL;
}

int main(void) {
  for (int i = 0; i < 3000; i++) {
    struct job *job = malloc(sizeof *job);
    job->size = i;
    job->next = jobs;
    jobs = job;
  }
  pthread_t threads[4];
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  printf("%ld %ld\n", counters[0].hits, counters[3].bytes);
  return 0;
}
