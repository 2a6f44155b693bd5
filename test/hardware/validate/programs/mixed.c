// Types that are used in different ways: one is loaded, one is stored to, one is missed, one is all three, some are rare.

#include <stdlib.h>

struct hot { long value, more; };
struct entry { long words[8]; };
struct node { struct node *next; long value, rest[14]; };
struct state { long count, sum; };
struct rare { long value; };

enum { entries = 1024, nodes = 1024, rounds = 6000 };

int main(void) {
  struct hot *hot = calloc(1, sizeof *hot);
  struct entry *log = malloc(entries * sizeof *log);
  struct node *list = malloc(nodes * sizeof *list);
  struct state *state = calloc(1, sizeof *state);
  struct rare *rare = calloc(1, sizeof *rare);
  for (int i = 0; i < nodes; i++) list[i].next = &list[(i * 389 + 1) % nodes];
  struct node *at = list;
  volatile long sink = 0;
  for (int i = 0; i < rounds; i++) {
    sink += ((volatile struct hot *)hot)->value + ((volatile struct hot *)hot)->more;
    ((volatile struct entry *)log)[i % entries].words[i % 8] = i;
    at = ((volatile struct node *)at)->next;
    ((volatile struct state *)state)->count += i;
    if (i % 500 == 0) ((volatile struct rare *)rare)->value = i;
  }
  free(hot), free(log), free(list), free(state), free(rare);
  return sink == 1;
}
