// Four threads, pinned by turns to the two CPUs that the program is given, each count in a line of their own and in one of all; then the main thread
// allocates on the first CPU, stores on the second, and frees on the first again.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

struct counter {
  volatile long value;
  char rest[56];
};

enum { THREADS = 4, ROUNDS = 3000 };
static struct counter own[THREADS] __attribute__((aligned(64)));
static struct counter all __attribute__((aligned(64)));
static struct counter begun __attribute__((aligned(64)));
static pthread_barrier_t barrier;
static int cpus[2];

static void pin(int which) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpus[which], &set);
  if (sched_setaffinity(0, sizeof set, &set)) {
    perror("sched_setaffinity");
    exit(2);
  }
  void *volatile kept = malloc(1); // any event says where the thread is
  free(kept);
}

static void *count(void *argument) {
  long number = (long)argument;
  pin(number % 2);
  pthread_barrier_wait(&barrier);
  for (long i = 0; i < ROUNDS; i++) {
    own[number].value += i;
    __atomic_fetch_add(&all.value, 1, __ATOMIC_RELAXED); // one access
  }
  return 0;
}

static void migrate(void) {
  pin(0);
  struct counter *volatile kept = malloc(101);
  struct counter *moved = kept;
  moved->value = 1;
  pin(1);
  moved->value++;
  pin(0);
  free(moved);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  for (int i = 0; i < 2; i++) cpus[i] = atoi(argv[1 + i]);
  pin(0);
  begun.value = 1;
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, 0, THREADS);
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, count, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  migrate();
  return all.value == THREADS * ROUNDS && begun.value == 1 ? 0 : 1;
}
