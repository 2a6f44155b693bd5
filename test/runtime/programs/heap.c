// Prints where 400 blocks of many sizes lie: as they are, or with the argument "relative" from the first block on and without a
// thread (pthread_create allocates 16 bytes per library with thread-locals, and the runtime is one). PLAIN: without instrumentation.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PLAIN
static void store_one(long *p, long value) { *p = value; }
#else
#include "instrumented.h"
#endif

static void *work(void *argument) {
  for (int i = 0; i < 50; i++) {
    char *volatile copy = strdup("a string that is longer than the smallest chunk");
    free(copy);
  }
  return argument;
}

int main(int count, char **arguments) {
  (void)arguments;
  static long *block[400];
  for (int i = 0; i < 400; i++) {
    block[i] = i % 3 ? malloc((size_t)(i * 37 % 5000) + 8) : calloc((size_t)i + 1, 16);
    store_one(block[i], i);
    if (i % 5 == 4) {
      free(block[i - 3]);
      block[i - 3] = 0;
    }
    if (i % 7 == 6) block[i] = realloc(block[i], (size_t)(i * 91 % 7000) + 16);
    if (i == 200 && count == 1) {
      pthread_t thread;
      pthread_create(&thread, 0, work, 0);
      pthread_join(thread, 0);
    }
  }
  char *origin = count > 1 ? (char *)block[0] : 0;
  for (int i = 0; i < 400; i++)
    if (block[i]) printf("%d %td\n", i, (char *)block[i] - origin);
  return 0;
}
