// A binary search tree of random keys: every step follows a pointer.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  struct node *left, *right;
  uint64_t key, hits;
};

static uint64_t state = 88172645463325252u;

static uint64_t next_key(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state % 1000003;
}

static struct node *insert(struct node **at, uint64_t key) {
  while (*at) {
    if ((*at)->key == key) return *at;
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  }
  struct node *made = calloc(1, sizeof *made);
  made->key = key;
  return *at = made;
}

static struct node *find(struct node *at, uint64_t key) {
  while (at && at->key != key) at = key < at->key ? at->left : at->right;
  return at;
}

static void destroy(struct node *at) {
  if (!at) return;
  destroy(at->left);
  destroy(at->right);
  free(at);
}

int main(int argc, char **argv) {
  int lookups = argc > 1 ? atoi(argv[1]) : 4000000;
  struct node *root = NULL;
  for (int i = 0; i < 100000; i++) insert(&root, next_key());
  uint64_t found = 0;
  for (int i = 0; i < lookups; i++) {
    struct node *n = find(root, next_key());
    if (n) found += ++n->hits;
  }
  printf("%llu\n", (unsigned long long)found);
  destroy(root);
}
