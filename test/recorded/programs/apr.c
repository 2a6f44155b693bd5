// Functions with names that a ready description knows, and one that it does not.
#include <stdlib.h>
struct node { struct node *next; long key; };
static char block[8192];
static size_t used;
__attribute__((noinline)) void *apr_palloc(void *pool, size_t size) {
  (void)pool;
  return block + (used += size) - size;
}
__attribute__((noinline)) void apr_pool_clear(void *pool) { (void)pool; used = 0; }
__attribute__((noinline)) void *make_node(long size) { return block + (used += size) - size; }
int main(void) {
  struct node *list = 0;
  for (int i = 0; i < 3; i++) {
    struct node *one = apr_palloc(&used, sizeof *one);
    one->next = list;
    list = one;
  }
  struct node *last = make_node(16);
  last->next = list;
  apr_pool_clear(&used);
  return 0;
}
