// Walks a linked list of 128 KiB from end to end again and again: four times what the L1 holds, so nothing survives a walk.
#include <stdio.h>
#include <stdlib.h>

#define NODES 2048
#define STRIDE 611 // no divisor in common with NODES: the list visits every node
#define WALKS 50

struct node {
  struct node *next;
  long key;
  char name[40];
  long visits;
};

static struct node *build(struct node *nodes) {
  struct node *node = nodes;
  for (long position = 0, key = 0; key < NODES; key++) {
    node = &nodes[position];
    position = (position + STRIDE) % NODES;
    node->key = key;
    node->visits = 0;
    node->next = &nodes[position];
  }
  node->next = NULL;
  return nodes;
}

static __attribute__((noinline)) long walk(struct node *first) {
  long sum = 0;
  for (struct node *node = first; node; node = node->next) {
    node->visits++;
    sum += node->key;
  }
  return sum;
}

int main(void) {
  struct node *nodes = aligned_alloc(64, NODES * sizeof(struct node));
  if (!nodes)
    return 1;
  struct node *first = build(nodes);
  long sum = 0;
  for (int round = 0; round < WALKS; round++)
    sum += walk(first);
  printf("sum %ld\n", sum);
  free(nodes);
  return 0;
}
