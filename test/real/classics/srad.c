// Speckle reduction of an image that is kept by rows and walked by columns. Rows are 4 KiB apart: a column of 1,024
// lines falls into 16 sets of the L2. Fix: 16 pixels more in a row.
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1024, COLUMNS = 1024, STEPS = 2 };
#ifdef FIXED
enum { ROW = COLUMNS + 16 };
#else
enum { ROW = COLUMNS };
#endif

int main(void) {
  float *image = malloc(sizeof(float) * ROWS * ROW);
  float *coefficient = malloc(sizeof(float) * ROWS * ROW);
  for (int i = 0; i < ROWS * ROW; i++) {
    image[i] = 1 + i % 13;
    coefficient[i] = 0;
  }
  for (int step = 0; step < STEPS; step++) {
    for (int j = 0; j < COLUMNS; j++)
      for (int i = 1; i < ROWS - 1; i++) {
        const float here = image[i * ROW + j];
        const float north = image[(i - 1) * ROW + j] - here;
        const float south = image[(i + 1) * ROW + j] - here;
        coefficient[i * ROW + j] = 1 / (1 + (north * north + south * south) / (here * here));
      }
    for (int j = 0; j < COLUMNS; j++)
      for (int i = 1; i < ROWS - 1; i++)
        image[i * ROW + j] += 0.125f * coefficient[i * ROW + j] * image[(i + 1) * ROW + j]; // the finding
  }
  printf("%f\n", image[ROWS * ROW / 2]);
  free(image);
  free(coefficient);
}
