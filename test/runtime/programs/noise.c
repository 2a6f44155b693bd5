// STEPS stores to addresses that no predictor guesses. With WAITS it says "half" in the middle, and waits for input.
#include <stdio.h>

#include "instrumented.h"

#ifndef STEPS
#define STEPS 2000000
#endif

static long numbers[1 << 16];

int main(void) {
  uint64_t x = 88172645463325252ull;
  for (long i = 0; i < STEPS; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    store_one(&numbers[x & 0xffff], i);
#ifdef WAITS
    if (i == STEPS / 2) puts("half"), fflush(stdout), getchar();
#endif
  }
  printf("%ld steps\n", (long)STEPS);
  return 0;
}
