// Two threads that share a list under a lock and counters beside each other: a profile of it has a row in every table.

#include <pthread.h>
#include <stdlib.h>

struct flags {
  int urgent : 3;
  int kind : 5;
  short weight;
};

struct node {
  struct node *next;
  long key;
  struct flags flags;
  char text[40];
};

struct box {
  pthread_mutex_t lock;
  struct node *head;
  long count;
  union {
    int whole;
    float part;
  } last;
};

static struct box box;
static volatile int hits[2];

static void push(int key) {
  pthread_mutex_lock(&box.lock);
  struct node *node = malloc(sizeof *node);
  node->key = key;
  node->flags.kind = 1;
  node->next = box.head;
  box.head = node;
  box.count++;
  box.last.whole = key;
  pthread_mutex_unlock(&box.lock);
}

static void pop(void) {
  pthread_mutex_lock(&box.lock);
  struct node *node = box.head;
  box.head = node->next;
  free(node);
  pthread_mutex_unlock(&box.lock);
}

static void *run(void *argument) {
  int own = *(int *)argument;
  for (int i = 0; i < 30; i++) {
    push(i);
    hits[own]++;
    if (i % 3 == 0) pop();
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int own[2] = {0, 1};
  pthread_mutex_init(&box.lock, NULL);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run, &own[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
