// Two threads, each with a counter of its own, in one line; or in lines of their own.
#include <pthread.h>
#include <stdio.h>

#ifdef CHANGED
#define OWN __attribute__((aligned(64)))
#else
#define OWN
#endif

static volatile long left OWN = 1;
static volatile long right OWN = 2;

static void *count(void *of) {
  volatile long *own = of;
  for (int i = 0; i < 2000; i++) *own += i;
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, count, (void *)&left);
  pthread_create(&threads[1], NULL, count, (void *)&right);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("%ld\n", left + right);
}
