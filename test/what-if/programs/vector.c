// A vector that grows by realloc, beside texts with their lengths in front of them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CHANGED
struct entry {
  double value;
  int key;
  char live, old;
};
struct text {
  long length;
  char kind, flag;
  char bytes[];
};
#else
struct entry {
  char live;
  double value;
  char old;
  int key;
};
struct text {
  char kind;
  long length;
  char flag;
  char bytes[];
};
#endif

int main(void) {
  size_t used = 0, room = 4;
  struct entry *entries = malloc(room * sizeof *entries);
  struct text *texts[400];
  for (int i = 0; i < 5000; i++) {
    if (used == room) entries = realloc(entries, (room *= 2) * sizeof *entries);
    entries[used].value = i * 0.5;
    entries[used].key = i;
    entries[used].live = i % 2;
    entries[used++].old = 0;
    if (i % 50) continue;
    struct text *text = texts[i / 50] = malloc(sizeof *text + 20 + (size_t)i % 30);
    text->kind = 'a';
    text->flag = 1;
    text->length = 20;
    memset(text->bytes, 'x', 20);
  }
  double sum = 0;
  for (int round = 0; round < 8; round++)
    for (size_t i = 0; i < used; i++)
      if (entries[i].live) sum += entries[i].value;
  for (int i = 0; i < 100; i++) sum += texts[i]->bytes[texts[i]->length - 1] + texts[i]->flag;
  printf("%g\n", sum);
  return 0;
}
