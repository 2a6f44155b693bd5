// Records in one block, walked by loops that use two fields of each: these stand side by side, before or behind the
// others. Some are copied whole.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CHANGED
struct record {
  int key, next;
  char name[40];
  char address[60];
};
#else
struct record {
  char name[40];
  int key;
  char address[60];
  int next;
};
#endif

enum { COUNT = 3000 };

static void swap(struct record *a, struct record *b) {
  struct record kept = *a;
  *a = *b;
  *b = kept;
}

int main(void) {
  struct record *records = calloc(COUNT, sizeof *records);
  for (int i = 0; i < COUNT; i++) {
    records[i].key = i * 7919 % COUNT;
    records[i].next = (i + 17) % COUNT;
    memset(records[i].name, 'a', sizeof records[i].name);
    records[i].address[5] = 'b';
  }
  for (int i = 0; i + 1 < COUNT; i += 3) swap(&records[i], &records[i + 1]);
  long sum = 0;
  for (int round = 0; round < 10; round++)
    for (int i = 0; i < COUNT; i++) sum += records[i].key;
  for (int round = 0, at = 0; round < 20000; round++, at = records[at].next) sum += records[at].key;
  struct record *copy = malloc(COUNT / 2 * sizeof *copy);
  memcpy(copy, records + COUNT / 4, COUNT / 2 * sizeof *copy);
  for (int i = 0; i < COUNT / 2; i++) sum += copy[i].address[5];
  printf("%ld\n", sum);
  free(copy);
  free(records);
  return 0;
}
