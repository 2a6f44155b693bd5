// Two threads count events of their own, each in its own variable; but the two variables share a cache line.
#include <pthread.h>
#include <stdio.h>

#define EVENTS 50000

struct counters {
  volatile long left;
  volatile long right;
};

static _Alignas(64) struct counters counters;

static void *count_left(void *unused) {
  for (int event = 0; event < EVENTS; event++)
    counters.left++;
  return unused;
}

static void *count_right(void *unused) {
  for (int event = 0; event < EVENTS; event++)
    counters.right++;
  return unused;
}

int main(void) {
  pthread_t left, right;
  pthread_create(&left, NULL, count_left, NULL);
  pthread_create(&right, NULL, count_right, NULL);
  pthread_join(left, NULL);
  pthread_join(right, NULL);
  printf("left %ld, right %ld\n", counters.left, counters.right);
  return 0;
}
