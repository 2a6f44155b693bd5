// A random walk over records of two cache lines each, one reference to each record it comes by: 2.5 MB, more than a
// second-level cache holds. The argument says how many steps.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RECORDS = 20480 };

struct record {
  long visits;
  char text[120];
};

int main(int argc, char **argv) {
  long steps = argc > 1 ? atol(argv[1]) : 1000000;
  struct record *records = aligned_alloc(128, RECORDS * sizeof *records);
  for (int i = 0; i < RECORDS; i++) records[i].visits = i;
  uint64_t state = 88172645463325252u;
  long total = 0;
  for (long i = 0; i < steps; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    total += records[state % RECORDS].visits;
  }
  printf("%ld\n", total);
  free(records);
}
