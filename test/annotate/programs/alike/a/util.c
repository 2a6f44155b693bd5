#include <stdlib.h>
#include "../include/shared.h"
struct node { int key; int weight; };
struct shared first;
struct varies narrow;
long run_a(int n) {
  struct node *nodes = malloc(n * sizeof(struct node));
  long sum = 0;
  for (int i = 0; i < n; i++) { nodes[i].key = i; nodes[i].weight = n - i; }
  for (int i = 0; i < n; i++) sum += nodes[i].key * nodes[i].weight;
  first.hits += sum; narrow.words[n & 1] = sum;
  free(nodes);
  return sum;
}
