// Threads that are all alive at once and each walk a tree of their own, so that each logs as fast as it can: threads THREADS ROUNDS.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 1 << 10 };

struct node {
  struct node *sides[2];
  unsigned key;
};

static pthread_barrier_t all;
static int rounds;

static void *walk(void *argument) {
  struct node *nodes = calloc(NODES, sizeof *nodes);
  unsigned seed = (unsigned)(size_t)argument * 2654435761u + 1;
  for (int i = 1; i < NODES; i++) {
    nodes[i].key = seed = seed * 1664525u + 1013904223u;
    struct node **at = &nodes[0].sides[0];
    while (*at) at = &(*at)->sides[nodes[i].key > (*at)->key];
    *at = &nodes[i];
  }
  pthread_barrier_wait(&all);
  size_t depth = 0;
  for (int round = 0; round < rounds; round++)
    for (const struct node *at = nodes[0].sides[0]; at; at = at->sides[(seed = seed * 1664525u + 1013904223u) > at->key]) depth++;
  pthread_barrier_wait(&all);
  free(nodes);
  return (void *)depth;
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 8;
  rounds = argc > 2 ? atoi(argv[2]) : 100000;
  pthread_t *threads = malloc((size_t)count * sizeof *threads);
  pthread_barrier_init(&all, NULL, (unsigned)count);
  for (int t = 0; t < count; t++) pthread_create(&threads[t], NULL, walk, (void *)(size_t)t);
  size_t total = 0;
  for (int t = 0; t < count; t++) {
    void *depth;
    pthread_join(threads[t], &depth);
    total += (size_t)depth;
  }
  printf("%zu\n", total);
  free(threads);
}
