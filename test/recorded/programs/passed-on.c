// One allocator returns what another one gave it, and is called by name; the other one is called by itself too.
#include <stddef.h>
struct node {
  struct node *next;
  long keys[2];
};
static char block[4096];
static size_t used;
__attribute__((noinline)) void *inner(size_t size) {
  void *at = block + used;
  used += (size + 15) & ~(size_t)15;
  return at;
}
__attribute__((noinline)) void *outer(size_t size) {
  if (size > 1024) return NULL;
  return inner(size);
}
int main(void) {
  struct node *one = outer(sizeof *one);
  one->keys[0] = 1;
  char *two = inner(40);
  two[8] = 1;
  return 0;
}
