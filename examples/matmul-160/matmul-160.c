// A textbook matrix multiply. A row is 160 x 8 bytes = 20 lines, so a column's 160 lines fall into 16 of the 64 sets of an
// L1: ten lines for eight ways. Most misses are conflicts, which a check of "is this set used more than others" does not see.
#include <stdio.h>

#ifndef N
#define N 160
#endif

// Whole pages, so that the three start in the same set. Filled by the linker: the program stores nothing but the product.
_Alignas(4096) double left[N][N] = {[0 ... N - 1] = {[0 ... N - 1] = 1.5}};
_Alignas(4096) double right[N][N] = {[0 ... N - 1] = {[0 ... N - 1] = 2.0}};
_Alignas(4096) double product[N][N];

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++)
        sum += left[i][k] * right[k][j];
      product[i][j] = sum;
    }
  printf("last %.1f\n", product[N - 1][N - 1]);
  return 0;
}
