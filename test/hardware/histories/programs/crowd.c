// crowd N: N threads that live at the same time look at one object, once each.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct subject {
  volatile long value, unused;
};
static struct subject *subject;
static pthread_barrier_t all;

static void *look(void *sum) {
  pthread_barrier_wait(&all);
  *(long *)sum = subject->value;
  pthread_barrier_wait(&all);
  return NULL;
}

int main(int count, char **arguments) {
  const int threads = count > 1 ? atoi(arguments[1]) : 8;
  pthread_t *thread = calloc(threads, sizeof *thread);
  long *sums = calloc(threads, sizeof *sums), sum = 0;
  subject = malloc(sizeof *subject);
  subject->value = 1;
  pthread_barrier_init(&all, NULL, threads);
  for (int i = 0; i < threads; i++) pthread_create(&thread[i], NULL, look, &sums[i]);
  for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < threads; i++) sum += sums[i];
  free(subject);
  printf("%ld\n", sum);
  return 0;
}
