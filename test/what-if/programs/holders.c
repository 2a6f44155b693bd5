// Items in arrays inside pages, which are globals, blocks, and in one array of their own: with an item all of these
// change.
#include <stdio.h>
#include <stdlib.h>

#ifdef CHANGED
struct item {
  long value;
  char kind, state;
};
#else
struct item {
  char kind;
  long value;
  char state;
};
#endif

struct page {
  int used;
  struct item items[10];
  struct item last;
  long sum;
};

static long before = 1;
static struct page first;
static struct page pages[20];
static long after = 2;

static long fill(struct page *page, int seed) {
  for (int i = 0; i < 10; i++) {
    page->items[i].kind = (char)seed;
    page->items[i].value = i * seed;
    page->items[i].state = 1;
    page->sum += page->items[i].value;
    page->used++;
  }
  page->last = page->items[seed % 10];
  return page->sum;
}

int main(void) {
  long sum = before + fill(&first, 3);
  for (int i = 0; i < 20; i++) sum += fill(&pages[i], i);
  struct page *own[300];
  for (int i = 0; i < 300; i++) {
    own[i] = calloc(1, sizeof *own[i]);
    sum += fill(own[i], i);
  }
  for (int round = 0; round < 30; round++)
    for (int i = 0; i < 300; i++) sum += own[i]->last.value + own[i]->items[round % 10].state;
  printf("%ld\n", sum + after);
  for (int i = 0; i < 300; i += 2) free(own[i]);
  return 0;
}
