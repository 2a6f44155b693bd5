// THREADS threads (argument 1, default 4), all at once or in batches of at most 50: each locks, adds to a global, updates an
// atomic, and stores into its own array 1,000 times. The main thread joins them and reads the sum.
#include <pthread.h>
#include <stdio.h>

#include "instrumented.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long updates;

static void *work(void *argument) {
  long mine[8];
  for (int i = 0; i < 1000; i++) store_one(&mine[i & 7], i);
  pthread_mutex_lock(&lock);
  store_one(&test_global, test_global + (long)argument);
  pthread_mutex_unlock(&lock);
  update(&updates);
  return 0;
}

int main(int count, char **arguments) {
  int threads = count > 1 ? atoi(arguments[1]) : 4;
  pthread_t handle[50];
  for (int done = 0; done < threads;) {
    int batch = threads - done < 50 ? threads - done : 50;
    for (int i = 0; i < batch; i++) pthread_create(&handle[i], 0, work, (void *)(long)(done + i));
    for (int i = 0; i < batch; i++) pthread_join(handle[i], 0);
    done += batch;
  }
  return load_two(&test_global, &test_global) == (long)threads * (threads - 1) ? 0 : 1;
}
