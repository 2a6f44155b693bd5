// Objects of ten slots on three paths, by what is drawn for each: what single-offset and pairwise sets make of them.
#include <stdio.h>
#include <stdlib.h>

struct bucket {
  volatile long a, b, c, d, e, f, g, h, i, j;
};

#define NOINLINE __attribute__((noinline))
NOINLINE void first_way(struct bucket *b) { b->a = 1; b->j = 1; }
NOINLINE void second_way(struct bucket *b) { b->j = 2; b->a = 2; }
NOINLINE void third_way(struct bucket *b) { b->e = 3; }

int main(int count, char **arguments) {
  unsigned state = 1;
  for (int left = atoi(arguments[count - 1]); left > 0; left--) {
    struct bucket *b = malloc(sizeof *b);
    state = state * 1103515245 + 12345;
    switch (state >> 16 & 3) {
    case 0: first_way(b); break;
    case 1: second_way(b); break;
    default: third_way(b);
    }
    free(b);
  }
  return 0;
}
