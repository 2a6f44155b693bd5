// Arrays from typed helpers of another file: each is to be told by the line that asks for it and the name it gets.
#include "wrappers.h"

#define N 64

struct grid {
  int n;
  double *cells;
};

static double *u;
static struct grid grids[2];

int main(void) {
  size_t all = (size_t)N * N;
  u = allocate(all); // line 16
  double *v = allocate(all); // line 17
  grids[1].cells = allocate(all); // line 18
  count_t *counts = allocate_counts(all); // line 19
  double **a = alloc_2d(N, N); // line 20
  double ***b = alloc_3d(2, N, N); // line 21
  double(*x)[N] = alloc_data(all, sizeof(double)); // line 22
  double *y = line_aligned(all); // line 23
  double *z = cached(all); // line 24
  struct matrix *m = new_matrix(N); // line 25
  struct matrix *other = new_matrix(N); // line 26
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int at = i * N + j;
      u[at] = v[at] = grids[1].cells[at] = a[i][j] = b[1][i][j] = i + j;
      x[i][j] = y[at] = z[at] = m->cells[at] = other->cells[at] = u[at] * 2;
      counts[at] = at;
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int at = j * N + i;
      sum += u[at] + v[at] + grids[1].cells[at] + a[j][i] + b[1][j][i] + x[j][i] + y[at] + z[at] + m->cells[at] +
             other->cells[at] + counts[at];
    }
  return sum < 0;
}
