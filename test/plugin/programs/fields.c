// Each access is described by the outermost known struct and the path in it. Behind each line: its events, in order, once each.
#include <stddef.h>
#include <string.h>

struct lock { int owner; int depth; };
typedef struct { long key; double weight; } entry;
struct list { struct list *next; };
struct table {
  struct lock lock;
  entry slots[4];
  union { int count; float ratio; } u;
  struct { short left, right; };
  unsigned ready : 3, state : 5;
  struct list link;
  struct lock *owner;
  char name[8];
};
struct message { long length; char text[]; };
struct signs { int low : 3, middle : 5, high : 24; };

struct table shared;
int numbers[4][4];
static int *volatile somewhere = numbers[3];
_Thread_local struct lock mine;
enum color { RED, GREEN } color;

__attribute__((noinline)) static void fill(struct table *t, int i) {
  t->lock.owner = i;        // store 4 struct table .lock.owner
  t->slots[i].key = 7;      // store 8 struct table .slots[].key @8
  t->slots[i].weight += .5; // load 8 struct table .slots[].weight @16; store 8 struct table .slots[].weight @16
  t->u.ratio = 1.5f;        // store 4 struct table .u.ratio @72
  t->right = 3;             // store 2 struct table .right @78
  t->state = i;             // load 1 struct table .state @80; store 1 struct table .state @80
  t->name[i] = 'x';         // store 1 struct table .name[] @104
}

__attribute__((noinline)) static int through(struct table *t) {
  struct lock *owner = t->owner;  // load 8 struct table .owner @96
  owner->depth = 4;               // store 4 struct lock .depth @4
  struct list *link = &t->link;
  struct table *outer = (struct table *)((char *)link - offsetof(struct table, link));
  return outer->u.count;          // load 4 struct table .u.count @72
}

__attribute__((noinline)) static void others(struct message *m, int *number, entry *e, int i) {
  m->text[i] = 'm';         // store 1 struct message .text[] @8
  *number = 5;              // store 4 int
  e[i].weight = 2;          // store 8 entry .weight @8
  numbers[i][i] = 6;        // store 4 int var=numbers
  mine.depth = 8;           // store 4 struct lock .depth @4 var=mine
  shared.lock.depth = 9;    // store 4 struct table .lock.depth @4 var=shared
  color = GREEN;            // store 4 enum color var=color
}

__attribute__((noinline)) static void blocks(struct table *to, struct table *from, size_t n) {
  *to = *from;                  // copy-load 112 struct table; copy-store 112 struct table
  memset(to->name, 0, n);       // fill n=5 struct table .name[] @104
  memmove(&to->slots[1], &from->slots[0], n); // copy-load struct table .slots[] @8; copy-store n=5 struct table .slots[] @24
}

__attribute__((noinline)) static int signs(struct signs *s) {
  int low = s->low;       // load 4 struct signs .low
  __asm__ volatile("" ::: "memory");
  int middle = s->middle; // load 4 struct signs .middle
  __asm__ volatile("" ::: "memory");
  return low + middle + s->high; // load 4 struct signs .high
}

int main(int argc, char **argv) {
  static struct table a, b;
  static long storage[8];
  static struct message *volatile stored = (struct message *)storage;
  static struct signs *volatile negative = (struct signs *)storage;
  a.owner = &b.lock; // store 8 struct table .owner @96 var=a
  fill(&a, argc);
  int sum = through(&a);
  others(stored, somewhere, a.slots, argc);
  blocks(&b, &a, 4 + argc);
  sum += signs(negative);
  return sum == 0 || argv == NULL;
}
