// Arrays of one type, each from another place: a wrapper, a field, an array of pointers, a macro.
#include <stdlib.h>

#include "grid_alloc.h"

struct grid {
  double *cells;
  int n;
};

static void *xmalloc(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory) abort();
  return memory;
}

__attribute__((noinline)) static void setup(struct grid *g, int n) {
  g->n = n;
  g->cells = (double *)calloc(n, sizeof(double)); // line 19
}

__attribute__((noinline)) static double sum(struct item *items, int n) {
  double all = 0;
  for (int i = 0; i < n; i++) all += value_of(&items[i]); // line 24
  return all;
}

int main(void) {
  int n = 4096;
  struct grid g;
  setup(&g, n);
  double *u = xmalloc(n * sizeof(double)); // line 32
  double *v = xmalloc(n * sizeof(double)); // line 33
  double *rows[2];
  rows[0] = CALLOC(double, n); // line 35
  struct item *items = CALLOC(struct item, n);
  for (int i = 0; i < n; i++) u[i] = v[i] = rows[0][i] = g.cells[i] = i + items[i].value;
  double all = sum(items, n);
  for (int i = 0; i < n; i += 3) all += u[i] * v[n - 1 - i] + rows[0][i] * g.cells[n - 1 - i];
  return all < 0;
}
