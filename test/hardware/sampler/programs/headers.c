// Allocators that put something before what they hand out: a sample is of the item where they put it, and what lies before it is a header.
#include <string.h>
#include "say.h"

struct item {
  long id;
  long value;
};

// A header that is a struct itself.
struct header {
  size_t bytes;
  size_t tag;
};
__attribute__((noinline)) static void *grab(size_t bytes) {
  struct header *header = malloc(sizeof *header + bytes);
  if (!header) return NULL;
  header->bytes = bytes;
  header->tag = 7;
  return header + 1;
}
__attribute__((noinline)) static void drop(void *p) { free((struct header *)p - 1); }

// Wrappers of wrappers, the outer one with eight bytes of its own.
__attribute__((noinline)) static void *grab_zeroed(size_t bytes) {
  void *p = grab(bytes);
  if (p) memset(p, 0, bytes);
  return p;
}
__attribute__((noinline)) static void *grab_counted(size_t bytes) {
  long *p = grab_zeroed(bytes + 8);
  if (!p) return NULL;
  *p = 1;
  return p + 1;
}

// Behind realloc, too.
__attribute__((noinline)) static void *grow(void *p, size_t bytes) {
  struct header *header = realloc((struct header *)p - 1, sizeof *header + bytes);
  if (!header) return NULL;
  header->bytes = bytes;
  return header + 1;
}

// By how much it moves the pointer depends on the pointer.
__attribute__((noinline)) static void *aligned(size_t bytes) {
  char *raw = malloc(bytes + 72);
  char *p = (char *)(((uintptr_t)raw + 72) & ~(uintptr_t)63);
  ((void **)p)[-1] = raw;
  return p;
}

__attribute__((noinline)) static void say_one(void) {
  struct item *item = grab(sizeof *item);
  item->value = 1;
  SAY(&item->value);
  SAY((long *)item - 1);
  SAY((long *)item - 2);
  drop(item);
  SAY(&item->value);
}

__attribute__((noinline)) static void say_three(void) {
  struct item *items = grab_zeroed(3 * sizeof *items);
  items[2].value = 1;
  SAY(&items[2].value);
  SAY(&items[1].id);
  SAY((long *)items - 1);
  drop(items);
}

__attribute__((noinline)) static void say_counted(void) {
  struct item *item = grab_counted(sizeof *item);
  item->value = 1;
  SAY(&item->id);
  SAY((long *)item - 1);
  SAY((long *)item - 3);
  drop((long *)item - 1);
}

__attribute__((noinline)) static void say_grown(void) {
  struct item *items = grab(sizeof *items);
  items->value = 1;
  items = grow(items, 1000 * sizeof *items);
  items[999].value = 1;
  SAY(&items[999].value);
  SAY((long *)items - 1);
  drop(items);
}

__attribute__((noinline)) static void say_aligned(void) {
  struct item *item = aligned(sizeof *item);
  item->value = 1;
  SAY(&item->value);
  free(((void **)item)[-1]);
}

int main(void) {
  say_one();
  say_three();
  say_counted();
  say_grown();
  say_aligned();
  return 0;
}
