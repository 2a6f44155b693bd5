// Two counters in one cache line, each another object.
#include <stdlib.h>

struct counter {
  volatile long value, spare;
};

__attribute__((noinline)) void count_left(struct counter *c) { c->value = 1; }
__attribute__((noinline)) void count_right(struct counter *c) { c->value = 2; }

int main(void) {
  struct counter *block = aligned_alloc(64, 64); // so that what follows begins a line
  struct counter *left = malloc(sizeof *left), *right = malloc(sizeof *right);
  struct counter *third = malloc(sizeof *third), *fourth = malloc(sizeof *fourth);
  for (int i = 0; i < 3; i++) {
    count_left(left);
    count_right(right);
    count_left(third);
    count_right(fourth);
  }
  free(left);
  free(right);
  free(third);
  free(fourth);
  free(block);
  return 0;
}
