// One thread: 100,000 stores that walk over an array, then 10 loads of two; exits with 7.
#include "instrumented.h"

static long numbers[1000];

int main(void) {
  for (int i = 0; i < 100000; i++) store_one(&numbers[i % 1000], i);
  long sum = 0;
  for (int i = 0; i < 10; i++) sum += load_two(&numbers[i], &numbers[2 * i]);
  long *heap = malloc(80);
  heap[0] = sum;
  free(heap);
  return 7;
}
