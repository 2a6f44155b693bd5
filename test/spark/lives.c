// What several threads share: fields over two lines, an atomic, and objects that live one after the other in one place.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct __attribute__((packed)) odd {
  char mark;
  long value;
};

struct pair {
  long first, second;
  char rest[100];
};

static _Alignas(64) struct odd odds[40];
static struct pair *volatile pairs[4];
static atomic_int counter;

static void touch(volatile struct odd *odd) { odd->value++; }

static void *work(void *unused) {
  for (int i = 0; i < 1000; i++) {
    touch(&odds[i % 40]);
    atomic_fetch_add(&counter, 1);
    if (i % 10 == 0) atomic_load(&counter);
  }
  for (int i = 0; i < 10; i++) {
    struct pair mine = *pairs[i % 4];
    mine.second++;
    *pairs[(i + 1) % 4] = mine;
    pairs[2]->first++;
  }
  return unused;
}

int main(void) {
  for (int round = 0; round < 3; round++) {
    pthread_t threads[3];
    for (int i = 0; i < 4; i++) pairs[i] = calloc(1, sizeof(struct pair));
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) free(pairs[i]);
  }
  return 0;
}
