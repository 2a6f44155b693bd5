// Blocks of a matrix, row by row into local arrays and back: the optimiser makes copies of the loops.
#include <stdio.h>
#include <stdlib.h>
#define B 16
static int maximum(int a, int b, int c) { int k = a > b ? a : b; return k > c ? k : c; }
static void nw(int *items, int *ref, int cols, int penalty) {
  for (int blk = 1; blk <= (cols - 1) / B; blk++) {
#pragma omp parallel for schedule(static) shared(items, ref) firstprivate(blk, cols, penalty)
    for (int bx = 0; bx < blk; ++bx) {
      int by = blk - 1 - bx;
      int local[(B + 1) * (B + 1)] __attribute__((aligned(64)));
      int refl[B * B] __attribute__((aligned(64)));
      for (int i = 0; i < B; ++i) {
#pragma omp simd
        for (int j = 0; j < B; ++j) refl[i * B + j] = ref[cols * (by * B + i + 1) + bx * B + j + 1];
      }
      for (int i = 0; i < B + 1; ++i) {
#pragma omp simd
        for (int j = 0; j < B + 1; ++j) local[i * (B + 1) + j] = items[cols * (by * B + i) + bx * B + j];
      }
      for (int i = 1; i < B + 1; ++i)
        for (int j = 1; j < B + 1; ++j)
          local[i * (B + 1) + j] = maximum(local[(i - 1) * (B + 1) + j - 1] + refl[(i - 1) * B + j - 1],
                                           local[i * (B + 1) + j - 1] - penalty, local[(i - 1) * (B + 1) + j] - penalty);
      for (int i = 0; i < B; ++i) {
#pragma omp simd
        for (int j = 0; j < B; ++j) items[cols * (by * B + i + 1) + bx * B + j + 1] = local[(i + 1) * (B + 1) + j + 1];
      }
    }
  }
}
int main(void) {
  int cols = 4 * B + 1;
  int *items = malloc(cols * cols * sizeof(int)), *ref = malloc(cols * cols * sizeof(int));
  for (int i = 0; i < cols * cols; i++) items[i] = ref[i] = i % 10;
  nw(items, ref, cols, 10);
  printf("%d\n", items[cols * 3 + 7]);
}
