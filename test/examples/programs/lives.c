// One thread; objects of every kind that a path, a set or a life can be of.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
  int key;
  char pay[50]; // 10 bytes of padding behind it with `next`
  struct item *next;
};

struct pair {
  long left, right;
};

struct counters {
  long made, freed;
  struct pair seen[3];
};

struct counters counters;
double weights[40];
static char text[300];
int *last_number;

static __attribute__((noinline)) struct item *make(int key) {
  struct item *item = malloc(sizeof *item);
  item->key = key;
  memset(item->pay, key, sizeof item->pay);
  item->next = 0;
  counters.made++;
  return item;
}

static __attribute__((noinline)) long look(const struct item *item) {
  return item->key + item->pay[item->key % 50];
}

static __attribute__((noinline)) void drop(struct item *item) {
  counters.freed += item->key;
  free(item);
}

static __attribute__((noinline)) void drop_unseen(struct item *item) { free(item); }

static __attribute__((noinline)) void fill_pair(struct pair *pair, long by) {
  pair->left += by;
  pair->right = pair->left;
}

static __attribute__((noinline)) long stack_user(int depth) {
  struct pair mine = {depth, 1};
  fill_pair(&mine, depth);
  if (depth > 0) mine.right += stack_user(depth - 1);
  return mine.right;
}

static __attribute__((noinline)) long lists(void) {
  long sum = 0;
  struct item *kept = 0;
  for (int i = 0; i < 60; i++) {
    struct item *item = make(i);
    if (i % 3 == 0) sum += look(item);
    if (i % 4 == 1) {
      item->next = kept;
      kept = item;
    } else if (i % 4 == 2) drop(item);
    else drop_unseen(item);
  }
  for (struct item *item = kept; item;) {
    struct item *next = item->next;
    sum += look(item);
    if (item->key > 20) drop(item); // the others are never freed
    item = next;
  }
  return sum;
}

static __attribute__((noinline)) int *grow(void) {
  int *numbers = malloc(10 * sizeof *numbers);
  for (int size = 10; size <= 1280; size *= 2) {
    numbers = realloc(numbers, 2 * size * sizeof *numbers);
    for (int i = 0; i < 2 * size; i++) numbers[i] = i;
  }
  return numbers;
}

static __attribute__((noinline)) long aligned(void) {
  struct item *buffers[24];
  long sum = 0;
  for (int i = 0; i < 24; i++) {
    buffers[i] = aligned_alloc(1024, 1024);
    memset(buffers[i], i, 100);
  }
  for (int round = 0; round < 3; round++) for (int i = 0; i < 24; i++) sum += buffers[i]->key;
  for (int i = 0; i < 24; i++) free(buffers[i]);
  return sum;
}

static __attribute__((noinline)) long large(void) {
  size_t bytes = 3 << 20; // more lines than the LLC has sets
  char *memory = malloc(bytes);
  long sum = 0;
  for (size_t at = 0; at < bytes; at += 4096) memory[at + at / 4096 % 64 * 64] = 1;
  for (size_t at = 0; at < 65536; at += 32) sum += memory[at];
  struct pair *pairs = (struct pair *)(memory + 1000);
  for (int i = 0; i < 100; i++) pairs[i].left = i;
  free(memory);
  return sum;
}

static __attribute__((noinline)) long arrays(void) {
  struct pair *pairs = calloc(33, sizeof *pairs);
  char *crossing = malloc(200);
  long sum = 0;
  for (int i = 0; i < 33; i++) fill_pair(&pairs[i], i);
  for (int i = 0; i + 8 <= 200; i += 7) {
    long value;
    memcpy(&value, crossing + i, 8); // some cross a line
    sum += value & 0;
    memcpy(crossing + i, &i, 4);
  }
  memcpy(text, crossing, 200);
  strcpy(text + 200, "behind");
  for (int i = 0; i < 40; i++) weights[i] += text[i] + pairs[i % 33].left;
  counters.seen[1] = pairs[4];
  free(crossing);
  return sum + pairs[5].right;
}

int main(void) {
  long sum = 0;
  for (int round = 0; round < 3; round++) sum += lists();
  for (int round = 0; round < 4; round++) sum += stack_user(round % 3);
  last_number = grow();
  sum += aligned();
  sum += large();
  sum += arrays();
  for (int i = 0; i < 40; i++) sum += (long)weights[i];
  printf("%ld %d\n", sum & 0xff, last_number[5]);
  return 0;
}
