// Loops of eight iterations each, whose end the data decide: a loop's own words stand for as many loads.
#include <stdio.h>
#include <stdlib.h>

static int values[8 * 1000];

__attribute__((noinline)) static long skip(const int *from) {
  long passed = 0;
  while (from[passed] < 7) passed++;
  return passed;
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 1, total = 0;
  for (int i = 0; i < 8 * 1000; i++) values[i] = i % 8;
  for (long round = 0; round < rounds; round++)
    for (int i = 0; i < 1000; i++) total += skip(&values[8 * i]);
  printf("%ld\n", total);
}
