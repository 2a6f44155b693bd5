// Objects of a collected heap: all come out of one function that knows no type, begin with one head, and are marked by
// that head. Others hold a struct as their first member, and are asked for it.
#include <stdio.h>
#include <stdlib.h>

#define HEAD \
  struct object *next; \
  unsigned char kind, mark

struct object {
  HEAD;
};

#ifdef CHANGED
struct table {
  HEAD;
  long *slots;
  struct table *link;
  char name[40];
  long used;
};
struct named {
  struct label {
    long hash;
    int length;
  } label;
  long uses;
  char text[48];
};
#else
struct table {
  HEAD;
  char name[40];
  long used;
  long *slots;
  struct table *link;
};
struct named {
  struct label {
    long hash;
    int length;
  } label;
  char text[48];
  long uses;
};
#endif

static struct object *all;

__attribute__((noinline)) static void *take(size_t bytes) { return realloc(NULL, bytes); }

static void *collected(size_t bytes, unsigned char kind) {
  struct object *made = take(bytes);
  made->next = all;
  made->kind = kind;
  made->mark = 0;
  all = made;
  return made;
}

__attribute__((noinline)) static long hash_of(struct label *label) { return label->hash + label->length; }

int main(void) {
  long sum = 0;
  struct table *last = NULL;
  struct named *names[800];
  for (int i = 0; i < 800; i++) {
    struct table *table = collected(sizeof *table, 1);
    table->used = i;
    table->name[0] = (char)i;
    table->slots = take(4 * sizeof(long));
    table->slots[i % 4] = i;
    table->link = last;
    last = table;
    names[i] = take(sizeof *names[i]);
    names[i]->label.hash = i;
    names[i]->label.length = 1;
    names[i]->uses = 0;
  }
  for (int round = 0; round < 20; round++) {
    for (struct object *object = all; object; object = object->next) object->mark = (unsigned char)round;
    for (struct table *table = last; table; table = table->link) sum += table->slots == NULL;
    for (int i = 0; i < 800; i++) sum += hash_of(&names[i]->label) + names[i]->uses++;
  }
  printf("%ld\n", sum);
  return 0;
}
