// Alternating direction: rows, then columns, of three square arrays. A column's elements lie 8 KiB apart, so a column
// of 1,024 lines falls into 8 sets of the L2. It fits the L2 by size, and none of it stays.
// Fix: four doubles more in a row.
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 1024, STEPS = 2 };
#ifdef FIXED
enum { ROW = SIZE + 8 };
#else
enum { ROW = SIZE };
#endif

int main(void) {
  double *u = malloc(sizeof(double) * SIZE * ROW);
  double *v = malloc(sizeof(double) * SIZE * ROW);
  double *w = malloc(sizeof(double) * SIZE * ROW);
  for (int i = 0; i < SIZE * ROW; i++) {
    u[i] = i % 7;
    v[i] = 2 + i % 3;
    w[i] = 1.0 / (1 + i % 5);
  }
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < SIZE; i++)
      for (int j = 1; j < SIZE; j++)
        u[i * ROW + j] -= u[i * ROW + j - 1] * w[i * ROW + j] / v[i * ROW + j - 1];
    for (int j = 0; j < SIZE; j++)
      for (int i = 1; i < SIZE; i++)
        u[i * ROW + j] -= u[(i - 1) * ROW + j] * w[i * ROW + j] / v[(i - 1) * ROW + j]; // the finding
  }
  printf("%f\n", u[SIZE * ROW / 2]);
  free(u);
  free(v);
  free(w);
}
