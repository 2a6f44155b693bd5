// A five-point stencil over a grid that does not fit into a second-level cache: dense loops.
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 1024 };

struct grid {
  double cell[SIDE][SIDE];
};

static void relax(struct grid *to, const struct grid *from) {
  for (int y = 1; y < SIDE - 1; y++)
    for (int x = 1; x < SIDE - 1; x++)
      to->cell[y][x] = 0.2 * (from->cell[y][x] + from->cell[y - 1][x] + from->cell[y + 1][x] + from->cell[y][x - 1] + from->cell[y][x + 1]);
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1600;
  struct grid *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
  for (int i = 0; i < SIDE; i++) a->cell[0][i] = b->cell[0][i] = i;
  for (int i = 0; i < rounds; i += 2) {
    relax(b, a);
    relax(a, b);
  }
  printf("%.6f\n", a->cell[SIDE / 2][SIDE / 2]);
  free(a);
  free(b);
}
