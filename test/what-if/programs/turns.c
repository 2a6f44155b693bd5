// Threads one after the other: the allocator hands out again what the one before had for itself.
#include <pthread.h>
#include <stdlib.h>

struct node {
  volatile long value;
  struct node *volatile next;
#ifdef CHANGED
  char padding[40];
#endif
};

static struct node *volatile kept[4];

static void *work(void *number) {
  struct node *own[50];
  for (int i = 0; i < 50; i++) {
    own[i] = malloc(sizeof *own[i]);
    own[i]->value = i;
  }
  for (int i = 0; i < 500; i++) own[i * 7 % 50]->value += own[i % 50]->value & 1;
  for (int i = 0; i < 49; i++) free(own[i]);
  kept[(long)number] = own[49];
  return NULL;
}

int main(void) {
  for (long i = 0; i < 4; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, (void *)i);
    pthread_join(thread, NULL);
    kept[i]->value++;
  }
  return 0;
}
