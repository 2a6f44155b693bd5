// Loops in the wrong order: a matrix that is transposed by columns, one that is added up by columns while a vector is
// stored, and with a recurrence along the rows. CHANGED: each of the two inner loops the other way round.
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 96, COLUMNS = 80, TIMES = 3 };

static double from[COLUMNS][ROWS], to[ROWS][COLUMNS], along[ROWS][COLUMNS];

#ifdef CHANGED
#define NEST(OUTER, OUTER_END, INNER, INNER_END)                                                                       \
  for (int INNER = 0; INNER < INNER_END; INNER++)                                                                      \
    for (int OUTER = 0; OUTER < OUTER_END; OUTER++)
#else
#define NEST(OUTER, OUTER_END, INNER, INNER_END)                                                                       \
  for (int OUTER = 0; OUTER < OUTER_END; OUTER++)                                                                      \
    for (int INNER = 0; INNER < INNER_END; INNER++)
#endif

int main(void) {
  double *heap = calloc(ROWS * COLUMNS, sizeof *heap);
  for (int time = 0; time < TIMES; time++) {
    NEST(column, COLUMNS, row, ROWS)
    to[row][column] += from[column][row];
    NEST(step, COLUMNS, lane, ROWS - 1)
    along[lane + 1][step] = along[lane][step] * 0.5 + 1;
    NEST(x, COLUMNS, y, ROWS)
    heap[y * COLUMNS + x]++;
  }
  printf("%g %g\n", to[1][1] + along[ROWS - 1][1], heap[7]);
  free(heap);
  return 0;
}
