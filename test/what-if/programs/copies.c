// Three threads that add to the same two numbers; or to numbers of their own.
#include <pthread.h>
#include <stdlib.h>

struct statistics {
  volatile long count;
  volatile long sum;
#ifdef CHANGED
} __attribute__((aligned(64)));
static struct statistics statistics[4];
#define STATISTICS(number) statistics[number]
#else
};
static struct statistics statistics;
#define STATISTICS(number) statistics
#endif

static int values[4][500];

static void *work(void *number) {
  const long own = (long)number;
  for (int i = 0; i < 500; i++) {
    STATISTICS(own).count++;
    STATISTICS(own).sum += values[own][i];
  }
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 1; i < 4; i++) pthread_create(&threads[i - 1], NULL, work, (void *)i);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  return 0;
}
