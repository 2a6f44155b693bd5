// Each thread sums a part of the points in its own element of one array. Elements are 56 bytes, so neighbours write one
// line. Fix: an element fills a line of its own.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 4
#endif
enum { POINTS = 50000 };

struct regression {
  const char *points; // x, y, x, y ...
  long count;
  long sx, sy, sxx, syy, sxy;
#ifdef FIXED
} __attribute__((aligned(64)));
#else
};
#endif

static void *sum(void *argument) {
  struct regression *mine = argument;
  for (long i = 0; i < mine->count; i++) {
    const long x = mine->points[2 * i], y = mine->points[2 * i + 1];
    mine->sx += x; // the finding
    mine->sxx += x * x;
    mine->sy += y;
    mine->syy += y * y;
    mine->sxy += x * y;
  }
  return NULL;
}

int main(void) {
  char *points = malloc(2 * THREADS * POINTS);
  for (int i = 0; i < 2 * THREADS * POINTS; i++) points[i] = (char)(i % 100);
  struct regression *parts = aligned_alloc(64, (sizeof(struct regression) * THREADS + 63) / 64 * 64);
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; t++) {
    parts[t] = (struct regression){.points = points + 2 * t * POINTS, .count = POINTS};
    pthread_create(&threads[t], NULL, sum, &parts[t]);
  }
  long total = 0;
  for (int t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    total += parts[t].sxy;
  }
  printf("%ld\n", total);
  free(points);
  free(parts);
}
