// A matrix of 27 diagonals, each in an array of its own, times a vector (as in implicit radiation solvers). The arrays
// have one size, a multiple of 4 KiB: 27 lines at a time fall into one set of the L1. Fix: each array is a line longer.
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 32, CELLS = SIZE * SIZE * SIZE, DIAGONALS = 27, STEPS = 4 };
#ifdef FIXED
enum { LENGTH = CELLS + 8 };
#else
enum { LENGTH = CELLS };
#endif

static double diagonals[DIAGONALS][LENGTH] __attribute__((aligned(4096)));
static double x[LENGTH], y[LENGTH];

int main(void) {
  for (int d = 0; d < DIAGONALS; d++)
    for (int i = 0; i < CELLS; i++) diagonals[d][i] = 1.0 / (1 + d + i % 3);
  for (int i = 0; i < CELLS; i++) x[i] = i % 5;
  for (int step = 0; step < STEPS; step++)
    for (int i = SIZE * SIZE + SIZE + 1; i < CELLS - SIZE * SIZE - SIZE - 1; i++) {
      double sum = 0;
      for (int d = 0; d < DIAGONALS; d++) {
        const int offset = (d / 9 - 1) * SIZE * SIZE + (d / 3 % 3 - 1) * SIZE + d % 3 - 1;
        sum += diagonals[d][i] * x[i + offset]; // the finding
      }
      y[i] = sum;
    }
  printf("%f\n", y[CELLS / 2]);
}
