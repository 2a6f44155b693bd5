// A stencil of seven points walked from plane to plane first. Planes lie 64 KiB apart: all planes' lines of one cell
// fall into one set of the L2. Fix: one line more in a plane.
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 128, STEPS = 2, ROW = SIZE };
#ifdef FIXED
enum { PLANE = SIZE * SIZE + 16 };
#else
enum { PLANE = SIZE * SIZE };
#endif

int main(void) {
  float *before = malloc(sizeof(float) * SIZE * PLANE);
  float *after = malloc(sizeof(float) * SIZE * PLANE);
  for (int i = 0; i < SIZE * PLANE; i++) {
    before[i] = i % 17;
    after[i] = 0;
  }
  for (int step = 0; step < STEPS; step++) {
    for (int j = 1; j < SIZE - 1; j++)
      for (int k = 1; k < SIZE - 1; k++)
        for (int i = 1; i < SIZE - 1; i++) {
          const int at = i * PLANE + j * ROW + k;
          const float near = before[at - 1] + before[at] + before[at + 1] + before[at - ROW];
          after[at] = near + before[at - PLANE] + before[at + PLANE] + before[at + ROW]; // the finding
        }
    float *other = before;
    before = after;
    after = other;
  }
  printf("%f\n", before[SIZE * PLANE / 2]);
  free(before);
  free(after);
}
