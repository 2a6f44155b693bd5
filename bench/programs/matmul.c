// A matrix multiply as it is first written: one of three operands by columns.
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 640 };

struct matrix {
  double at[SIDE][SIDE];
};

static void multiply(struct matrix *c, const struct matrix *a, const struct matrix *b, int rows) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < SIDE; j++) {
      double sum = 0;
      for (int k = 0; k < SIDE; k++) sum += a->at[i][k] * b->at[k][j];
      c->at[i][j] = sum;
    }
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 8, rows = argc > 2 ? atoi(argv[2]) : SIDE;
  struct matrix *a = malloc(sizeof *a), *b = malloc(sizeof *b), *c = malloc(sizeof *c);
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) a->at[i][j] = i + j, b->at[i][j] = i - j;
  for (int i = 0; i < rounds; i++) {
    multiply(c, a, b, rows);
    a->at[i][i] += c->at[i][i] * 1e-9;
  }
  printf("%.3f\n", c->at[rows - 1][SIDE - 1]);
  free(a);
  free(b);
  free(c);
}
