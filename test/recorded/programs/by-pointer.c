// Allocators that are called by name, by a pointer, as the last thing that a function does, and out of which a call
// jumps. Each call is one part, wherever it is noted.
#include <setjmp.h>
#include <stdlib.h>
struct node { struct node *next; long key; };
struct methods { void *(*take)(size_t size); void (*give)(void *memory); };
static char block[8192];
static size_t used;
static jmp_buf full;
static volatile int others; // more than one, so that no call is known to lead to one function

void *area_take(size_t size) {
  if (size > 1000) longjmp(full, 1);
  void *at = block + used;
  used += size;
  return at;
}
void area_give(void *memory) { *(volatile char *)memory = 0; }
static void *other_take(size_t size) { return malloc(size); }
static const struct methods area = {area_take, area_give}, libc = {other_take, free};

__attribute__((noinline)) void *handed_on(size_t size) { __attribute__((musttail)) return area_take(size); }

int main(void) {
  const struct methods *methods = others ? &libc : &area;
  struct node *list = 0;
  for (int i = 0; i < 3; i++) { // by a pointer: 24 bytes
    struct node *one = methods->take(24);
    one->next = list;
    list = one;
  }
  struct node *named = area_take(16); // by name
  named->next = list;
  if (setjmp(full) == 0) area_take(2000);      // by name, and not returned
  if (setjmp(full) == 0) methods->take(2000);  // by a pointer, and not returned
  struct node *last = methods->take(40);       // a pointer behind a call by name that did not return
  last->next = handed_on(56);                  // by name, in the place of its caller
  area_give(named);
  methods->give(last);
  return 0;
}
