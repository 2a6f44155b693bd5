// Goes down one column of a grid again and again. A row is 4,096 bytes, so the sixteen cells of a column lie in one set of
// an L1 that has eight ways: they push each other out although the cache is almost empty.
#include <stdio.h>

#define ROWS 16
#define COLUMNS 256
#define STEPS 5000

struct cell {
  long heat;
  long limit;
};

_Alignas(4096) struct cell grid[ROWS][COLUMNS];

static __attribute__((noinline)) void warm_column(int column, long step) {
  for (int row = 0; row < ROWS; row++)
    grid[row][column].heat += step;
}

int main(void) {
  for (long step = 1; step <= STEPS; step++)
    warm_column(7, step);
  printf("heat %ld\n", grid[ROWS - 1][7].heat);
  return 0;
}
