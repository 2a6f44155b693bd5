// A program drawn from its first argument: threads that allocate, free each other's blocks, lock, and come and go.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 6, SHELVES = 24, ROUNDS = 160 };
struct node {
  struct node *next;
  long key, value;
};
static struct shelf {
  pthread_mutex_t lock;
  struct node *nodes;
  long count;
} shelves[SHELVES];
static atomic_long turns;
static long totals[MOST_THREADS];
static unsigned long seed;

static unsigned long draw(unsigned long *state) {
  *state = *state * 6364136223846793005ul + 1442695040888963407ul;
  return *state >> 33;
}

static void put(struct shelf *shelf, long key, size_t bytes) {
  struct node *node = malloc(sizeof *node + bytes);
  *node = (struct node){shelf->nodes, key, 0};
  if (bytes > 0) memset(node + 1, (int)key, bytes);
  shelf->nodes = node;
  shelf->count++;
}

static void take(struct shelf *shelf) {
  struct node *node = shelf->nodes;
  if (node == NULL) return;
  shelf->nodes = node->next;
  shelf->count--;
  free(node);
}

static void *work(void *which) {
  unsigned long state = seed * 31 + (unsigned long)which;
  for (int round = 0; round < ROUNDS; round++) {
    struct shelf *shelf = &shelves[draw(&state) % SHELVES];
    unsigned long what = draw(&state) % 8;
    pthread_mutex_lock(&shelf->lock);
    if (what < 4) put(shelf, round, draw(&state) % 200);
    else if (what < 7) take(shelf);
    else
      for (struct node *node = shelf->nodes; node != NULL; node = node->next) node->value += node->key;
    pthread_mutex_unlock(&shelf->lock);
    totals[(long)which] += (long)what;
    if (what == 0) atomic_fetch_add(&turns, 1);
  }
  return NULL;
}

int main(int count, char **words) {
  seed = count > 1 ? strtoul(words[1], NULL, 10) : 1;
  unsigned long state = seed;
  for (int i = 0; i < SHELVES; i++) pthread_mutex_init(&shelves[i].lock, NULL);
  for (int generation = 0; generation < 3; generation++) {
    pthread_t threads[MOST_THREADS];
    long several = 1 + (long)(draw(&state) % MOST_THREADS);
    for (long i = 0; i < several; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (long i = 0; i < several; i++) pthread_join(threads[i], NULL);
  }
  return 0;
}
