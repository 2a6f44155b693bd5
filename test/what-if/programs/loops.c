// Loops whose iterations are one step of a trace: along, against, across and within arrays.
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 700, SIDE = 32, SPREAD = 40 };

struct point {
  long place;
  int weight;
  short kind, mark;
};
struct grid {
  double at[SIDE][SIDE];
};

static struct point fixed[COUNT];

static long forward(const struct point *points, int step) {
  long sum = 0;
  for (int i = 0; i < COUNT; i += step) sum += points[i].place;
  return sum;
}

static long backward(struct point *points) {
  long sum = 0;
  for (int i = COUNT - 1; i >= 0; i--) {
    sum += points[i].weight;
    points[i].mark = points[i].kind;
  }
  return sum;
}

static void across(struct point *to, const struct point *from) {
  for (int i = 0; i < COUNT; i++) to[i].weight = from[i].kind;
}

static double columns(const struct grid *grid) {
  double sum = 0;
  for (int column = 0; column < SIDE; column++)
    for (int row = 0; row < SIDE; row++) sum += grid->at[row][column];
  return sum;
}

/// Each stride begins where the one before would have gone on.
static long spread(const struct point *points) {
  long sum = 0;
  for (int at = 0, stride = 1; stride < 6; stride++)
    for (int i = 0; i < SPREAD; i++, at += stride) sum += points[at].place;
  return sum;
}

static double row(struct grid *grid, int one) {
  double sum = 0;
  for (int column = 0; column < SIDE; column++) sum += grid->at[one][column] += 1;
  return sum;
}

int main(void) {
  struct point *points = calloc(COUNT, sizeof *points);
  struct grid *grid = calloc(1, sizeof *grid);
  for (int i = 0; i < COUNT; i++) {
    points[i].place = i;
    fixed[i].kind = (short)i;
  }
  long sum = 0;
  for (int step = 1; step < 6; step++) sum += forward(points, step) + forward(fixed, step);
  sum += backward(points) + backward(fixed);
  sum += spread(points) + spread(fixed);
  across(points, fixed);
  double all = columns(grid);
  for (int one = 0; one < SIDE; one++) all += row(grid, one);
  printf("%ld %g\n", sum, all + columns(grid));
  free(points);
  free(grid);
}
