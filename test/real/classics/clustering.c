// Clustering of a stream: each thread adds to its own stretch of a shared work array. The stretches are two doubles, so
// four threads add to one line. Fix: a stretch is a line.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef THREADS
#define THREADS 4
#endif
enum { POINTS = 2000, CENTRES = 20 };
#ifdef FIXED
enum { STRIDE = 8 };
#else
enum { STRIDE = 2 };
#endif

static double *work_mem;
static float *points;

static void *gain(void *argument) {
  const long thread = (long)argument;
  double *volatile *mine = (double *volatile *)&work_mem;
  for (int centre = 0; centre < CENTRES; centre++)
    for (int i = 0; i < POINTS; i++) {
      const float distance = points[thread * POINTS + i] - (float)centre;
      (*mine)[thread * STRIDE] += distance * distance; // the finding
      (*mine)[thread * STRIDE + 1] += 1;
    }
  return NULL;
}

int main(void) {
  work_mem = aligned_alloc(64, (sizeof(double) * STRIDE * THREADS + 63) / 64 * 64);
  memset(work_mem, 0, sizeof(double) * STRIDE * THREADS);
  points = malloc(sizeof(float) * POINTS * THREADS);
  for (int i = 0; i < POINTS * THREADS; i++) points[i] = (float)(i % 41);
  pthread_t threads[THREADS];
  for (long t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, gain, (void *)t);
  double total = 0;
  for (int t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    total += work_mem[t * STRIDE];
  }
  printf("%f\n", total);
  free(work_mem);
  free(points);
}
