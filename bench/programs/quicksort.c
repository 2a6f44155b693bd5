// Quicksort of random ints, as a textbook has it: two places that walk towards each other, and calls for both halves.
// Arguments: how many ints, how often they are drawn and sorted.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t state = 12345;

static int draw(void) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return (int)(state >> 1);
}

static void sort(int *values, long from, long to) {
  if (from >= to) return;
  int pivot = values[(from + to) / 2];
  long left = from, right = to;
  while (left <= right) {
    while (values[left] < pivot) left++;
    while (values[right] > pivot) right--;
    if (left > right) break;
    int other = values[left];
    values[left++] = values[right];
    values[right--] = other;
  }
  sort(values, from, right);
  sort(values, left, to);
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1000000;
  int rounds = argc > 2 ? atoi(argv[2]) : 1;
  int *values = malloc((size_t)count * sizeof *values);
  long total = 0;
  for (int round = 0; round < rounds; round++) {
    for (long i = 0; i < count; i++) values[i] = draw();
    sort(values, 0, count - 1);
    total += values[count / 2];
  }
  printf("%ld\n", total);
  free(values);
}
