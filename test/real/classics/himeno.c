// Jacobi's method for Poisson's equation with twelve coefficients a cell, each in an array of its own. The arrays have
// one size, a multiple of 4 KiB, so the same cell of all of them falls into one set of the L1, which has eight ways.
// Fix: each array begins some lines later than the one before.
#include <stdio.h>

enum { PLANES = 32, ROWS = 32, CELLS = 64, STEPS = 8 };
#ifdef FIXED
enum { PADDING = 40 };
#else
enum { PADDING = 0 };
#endif

typedef struct {
  float cells[PLANES][ROWS][CELLS];
  float padding[PADDING];
} grid;

static grid a[4] __attribute__((aligned(4096)));
static grid b[3], c[3], p, work, bound;

int main(void) {
  for (int i = 0; i < PLANES; i++)
    for (int j = 0; j < ROWS; j++)
      for (int k = 0; k < CELLS; k++) {
        for (int n = 0; n < 4; n++) a[n].cells[i][j][k] = n < 3 ? 1 : 1.0f / 6;
        for (int n = 0; n < 3; n++) b[n].cells[i][j][k] = 0, c[n].cells[i][j][k] = 1;
        p.cells[i][j][k] = (float)(i * i) / (PLANES * PLANES);
        bound.cells[i][j][k] = 1;
      }
  float gosa = 0;
  for (int step = 0; step < STEPS; step++) {
    for (int i = 1; i < PLANES - 1; i++)
      for (int j = 1; j < ROWS - 1; j++)
        for (int k = 1; k < CELLS - 1; k++) {
          const float sum = a[0].cells[i][j][k] * p.cells[i + 1][j][k] +
                            a[1].cells[i][j][k] * p.cells[i][j + 1][k] +
                            a[2].cells[i][j][k] * p.cells[i][j][k + 1] +
                            b[0].cells[i][j][k] * (p.cells[i + 1][j + 1][k] - p.cells[i - 1][j - 1][k]) +
                            b[1].cells[i][j][k] * (p.cells[i][j + 1][k + 1] - p.cells[i][j - 1][k - 1]) +
                            b[2].cells[i][j][k] * (p.cells[i + 1][j][k + 1] - p.cells[i - 1][j][k - 1]) +
                            c[0].cells[i][j][k] * p.cells[i - 1][j][k] +
                            c[1].cells[i][j][k] * p.cells[i][j - 1][k] +
                            c[2].cells[i][j][k] * p.cells[i][j][k - 1];
          const float change = (sum * a[3].cells[i][j][k] - p.cells[i][j][k]) * bound.cells[i][j][k]; // the finding
          gosa += change * change;
          work.cells[i][j][k] = p.cells[i][j][k] + 0.8f * change;
        }
    for (int i = 1; i < PLANES - 1; i++)
      for (int j = 1; j < ROWS - 1; j++)
        for (int k = 1; k < CELLS - 1; k++) p.cells[i][j][k] = work.cells[i][j][k];
  }
  printf("%f\n", gosa);
}
