// Makes lists of 10,000 small nodes, sums each up and frees it: little but objects that begin and end. Argument: lists.
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 10000 };

struct node {
  struct node *next;
  long key, value;
};

int main(int argc, char **argv) {
  long lists = argc > 1 ? atol(argv[1]) : 700, sum = 0;
  for (long list = 0; list < lists; list++) {
    struct node *first = NULL;
    for (long key = 0; key < NODES; key++) {
      struct node *node = malloc(sizeof *node);
      if (!node) return 1;
      node->key = key;
      node->value = key * 3;
      node->next = first;
      first = node;
    }
    for (struct node *node = first; node; node = node->next) sum += node->key + node->value;
    while (first) {
      struct node *next = first->next;
      free(first);
      first = next;
    }
  }
  printf("%ld\n", sum);
  return 0;
}
