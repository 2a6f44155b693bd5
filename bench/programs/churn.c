// Counts in a table where chance says, and every hundredth time frees one of ten thousand nodes and makes another: no loop of it is affine, and what it
// has in memory does not grow. Argument: how many counts, of two references each.
#include <stdio.h>
#include <stdlib.h>

enum { COUNTERS = 1 << 17, NODES = 10000, EVERY = 100 };

struct node {
  long key, sum;
  char text[24];
};

static long counters[COUNTERS];
static struct node *nodes[NODES];

int main(int argc, char **argv) {
  long counts = argc > 1 ? atol(argv[1]) : 1000000;
  unsigned long chance = 88172645463325252ul, total = 0;
  for (long i = 0; i < counts; i++) {
    chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
    counters[chance % COUNTERS] += i;
    if (i % EVERY) continue;
    struct node **place = &nodes[chance / COUNTERS % NODES];
    if (*place) total += (unsigned long)(*place)->sum;
    free(*place);
    struct node *made = *place = malloc(sizeof *made);
    if (!made) return 1;
    made->key = i;
    made->sum = counters[i % COUNTERS];
  }
  printf("%lu\n", total);
  return 0;
}
