// Two threads count into one variable: every update needs the line that the other thread has just written.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define REQUESTS 50000

struct statistics {
  atomic_long requests;
  long limit;
};

static _Alignas(64) struct statistics statistics = {.limit = 2 * REQUESTS};

static void *serve(void *unused) {
  for (int request = 0; request < REQUESTS; request++)
    atomic_fetch_add_explicit(&statistics.requests, 1, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, serve, NULL);
  pthread_create(&second, NULL, serve, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  long requests = atomic_load(&statistics.requests);
  printf("%ld requests\n", requests);
  return requests == statistics.limit ? 0 : 1;
}
