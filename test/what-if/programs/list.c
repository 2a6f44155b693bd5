// A list of nodes among other blocks of the heap. Without padding between its fields a node has 24 bytes instead of 32,
// so the allocator hands out smaller blocks.
#include <stdio.h>
#include <stdlib.h>

#ifdef CHANGED
struct node {
  struct node *next;
  double weight;
  char kind, flag;
};
#else
struct node {
  char kind;
  struct node *next;
  char flag;
  double weight;
};
#endif

int main(void) {
  struct node *first = NULL;
  char *names[500] = {0};
  for (int i = 0; i < 4000; i++) {
    struct node *node = malloc(sizeof *node);
    node->kind = (char)(i % 7);
    node->flag = (char)(i % 3);
    node->weight = i;
    node->next = first;
    first = node;
    char **name = &names[i * 7 % 500];
    free(*name);
    *name = malloc(16 + i % 100);
    (*name)[0] = node->kind;
  }
  double sum = 0;
  for (int round = 0; round < 20; round++)
    for (struct node *node = first; node; node = node->next)
      if (node->kind != round % 7) sum += node->weight * node->flag;
  for (struct node *node = first, *next; node; node = next) {
    next = node->next;
    if (node->kind == 3) free(node);
  }
  printf("%g\n", sum);
  return 0;
}
