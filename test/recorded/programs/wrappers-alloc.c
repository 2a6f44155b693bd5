// Allocation helpers of a program, in a file of their own: see wrappers.c.
#include "wrappers.h"
#include <stdint.h>
#include <stdlib.h>

static void *xmalloc(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory) abort();
  return memory;
}

double *allocate(size_t n) { return xmalloc(n * sizeof(double)); }

count_t *allocate_counts(size_t n) {
  count_t *counts;
  if (n == 0) return NULL;
  counts = calloc(n, sizeof *counts);
  return counts;
}

double **alloc_2d(int n, int m) {
  double **a = malloc(n * sizeof *a);
  a[0] = malloc((size_t)n * m * sizeof **a);
  for (int i = 1; i < n; i++) a[i] = a[0] + (size_t)i * m;
  return a;
}

double ***alloc_3d(int n, int m, int k) {
  double ***a = xmalloc(n * sizeof *a);
  for (int i = 0; i < n; i++) a[i] = alloc_2d(m, k);
  return a;
}

static void *page_aligned(size_t bytes) {
  void *memory = NULL;
  if (posix_memalign(&memory, 4096, bytes) != 0) abort();
  return memory;
}

void *alloc_data(size_t n, int size) {
  size_t bytes = n * size;
  void *memory = page_aligned(bytes);
  return memory;
}

double *line_aligned(size_t n) {
  char *raw = malloc(n * sizeof(double) + 64 + sizeof(void *));
  uintptr_t line = ((uintptr_t)raw + sizeof(void *) + 63) & ~(uintptr_t)63;
  ((void **)line)[-1] = raw;
  return (double *)line;
}

struct matrix *new_matrix(int n) {
  struct matrix *m = xmalloc(sizeof *m);
  m->n = n;
  m->cells = allocate((size_t)n * n); // line 56
  return m;
}

double *cached(size_t n) {
  static double *kept;
  if (!kept) kept = malloc(n * sizeof *kept); // line 62
  return kept;
}
