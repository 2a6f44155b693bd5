// Alignment of two sequences along anti-diagonals. With 2,049 columns of ints, the next element of a diagonal lies
// exactly 8 KiB further: a diagonal of 2,048 lines falls into 8 sets of the L2. Fix: another length of a row.
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 2048, PENALTY = 10 };
#ifdef FIXED
enum { ROW = LENGTH + 33 };
#else
enum { ROW = LENGTH + 1 };
#endif

static int best(int a, int b, int c) {
  const int larger = a > b ? a : b;
  return larger > c ? larger : c;
}

int main(void) {
  int *items = malloc(sizeof(int) * (LENGTH + 1) * ROW);
  int *reference = malloc(sizeof(int) * (LENGTH + 1) * ROW);
  for (int i = 0; i <= LENGTH; i++)
    for (int j = 0; j <= LENGTH; j++) {
      reference[i * ROW + j] = (i * 7 + j * 3) % 11 - 5;
      items[i * ROW + j] = i == 0 ? -j * PENALTY : j == 0 ? -i * PENALTY : 0;
    }
  for (int diagonal = 2; diagonal <= 2 * LENGTH; diagonal++) {
    const int first = diagonal > LENGTH ? diagonal - LENGTH : 1;
    const int last = diagonal > LENGTH ? LENGTH : diagonal - 1;
    for (int i = first; i <= last; i++) {
      const int at = i * ROW + diagonal - i;
      const int match = items[at - ROW - 1] + reference[at];
      items[at] = best(match, items[at - 1] - PENALTY, items[at - ROW] - PENALTY); // the finding
    }
  }
  printf("%d\n", items[LENGTH * ROW + LENGTH]);
  free(items);
  free(reference);
}
