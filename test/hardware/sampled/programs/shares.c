// Four types that are referenced, and miss a small L1, in different shares.
#include <stdlib.h>

struct row { long key, value; };
struct node { struct node *next; long count; long pad[6]; };
struct hot { long hits, misses; };
struct page { long words[512]; };

int main(void) {
  struct row *rows = calloc(400, sizeof *rows);
  struct node *nodes = calloc(64, sizeof *nodes);
  struct page *page = calloc(1, sizeof *page);
  struct hot *hot = calloc(1, sizeof *hot);
  for (int at = 0; at < 64; at++) nodes[at].next = &nodes[(at * 37 + 5) % 64];
  struct node *node = nodes;
  for (int round = 0; round < 40; round++) {
    for (int at = 0; at < 400; at += 4) rows[at].value += rows[at].key;
    for (int at = 0; at < 100; at++) {
      node->count++;
      node = node->next;
      hot->hits++;
      page->words[(at * 7 + round) % 512]++;
    }
  }
  long sum = hot->hits + node->count + rows[4].value + page->words[3];
  free(rows);
  free(nodes);
  free(page);
  free(hot);
  return sum == 0;
}
