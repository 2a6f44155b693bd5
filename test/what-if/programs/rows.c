// Two grids, one on the heap and one a variable, gone through by columns: with longer rows, other sets.
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 64, CELLS = 128 };
#ifdef CHANGED
enum { ROW = CELLS + 8 };
#else
enum { ROW = CELLS };
#endif

static double grid[ROWS * ROW] __attribute__((aligned(4096)));
static int behind[100];

int main(void) {
  double *cells = calloc(ROWS * ROW, sizeof *cells);
  int *tail = calloc(50, sizeof *tail);
  for (int round = 0; round < 3; round++)
    for (int cell = 0; cell < CELLS; cell++)
      for (int row = 0; row < ROWS; row++) {
        cells[row * ROW + cell] += grid[row * ROW + cell] + round;
        grid[row * ROW + cell] = cell;
        behind[row] += tail[row % 50]++;
      }
  printf("%f %d\n", cells[5] + grid[77], behind[3]);
}
