// A walk over a list goes by its nodes, not by the object that the list begins in. Behind each line: its events.
#include <stddef.h>
#include <stdint.h>

typedef struct { uintptr_t next; uintptr_t flags; } link;
struct owner { long id; struct { link head; int count; } lists[3]; };
struct node { struct node *next; long key; };
#define NEXT(l) ((link *)((l)->next))

struct owner all;
link links[4];
struct node first, second;

__attribute__((noinline)) static size_t inside(struct owner *of) {
  size_t n = 0;
  link *list = &of->lists[1].head, *at;
  for (at = NEXT(list); at != list; at = NEXT(at)) // load 8 link .next
    n++;
  return n;
}

__attribute__((noinline)) static size_t global(void) {
  size_t n = 0;
  link *list = &all.lists[1].head, *at;
  for (at = NEXT(list); at != list; at = NEXT(at)) // load 8 link .next
    n++;
  return n;
}

__attribute__((noinline)) static long nodes(void) {
  long sum = 0;
  for (struct node *at = &first; at; at = at->next) // load 8 struct node .next
    sum += at->key;  // load 8 struct node .key @8
  return sum;
}

int main(void) {
  link *last = &all.lists[1].head;
  for (int i = 0; i < 4; i++) {
    last->next = (uintptr_t)&links[i];
    last = &links[i];
  }
  last->next = (uintptr_t)&all.lists[1].head;
  first.next = &second;
  return inside(&all) + global() + nodes() == 8 ? 0 : 1;
}
