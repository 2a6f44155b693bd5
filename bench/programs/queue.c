// Four threads with a shared queue: two put tasks into it, two take them out and count in a table that they share. The
// argument says how many tasks.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDES = 2, ROOM = 256, CELLS = 1 << 16, COUNTS = 32 };

struct task {
  uint64_t seed;
  long number;
};

struct queue {
  pthread_mutex_t lock;
  pthread_cond_t filled, emptied;
  long first, last; // of those that are in it: a task's place is its position modulo ROOM
  int givers;       // that still put tasks into it
  struct task tasks[ROOM];
};

static struct queue queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
                             .filled = PTHREAD_COND_INITIALIZER,
                             .emptied = PTHREAD_COND_INITIALIZER,
                             .givers = SIDES};
static _Atomic long cells[CELLS];
static long tasks;

static void *give(void *argument) {
  uint64_t state = 88172645463325252u + (uint64_t)(size_t)argument;
  for (long i = 0; i < tasks / SIDES; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    pthread_mutex_lock(&queue.lock);
    while (queue.last - queue.first == ROOM) pthread_cond_wait(&queue.emptied, &queue.lock);
    queue.tasks[queue.last++ % ROOM] = (struct task){state, i};
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
  }
  pthread_mutex_lock(&queue.lock);
  queue.givers--;
  pthread_cond_broadcast(&queue.filled);
  pthread_mutex_unlock(&queue.lock);
  return NULL;
}

static void *take(void *argument) {
  long total = 0;
  for (;;) {
    pthread_mutex_lock(&queue.lock);
    while (queue.first == queue.last && queue.givers) pthread_cond_wait(&queue.filled, &queue.lock);
    if (queue.first == queue.last) break;
    struct task task = queue.tasks[queue.first++ % ROOM];
    pthread_cond_signal(&queue.emptied);
    pthread_mutex_unlock(&queue.lock);
    for (int i = 0; i < COUNTS; i++) {
      task.seed = task.seed * 6364136223846793005u + 1442695040888963407u;
      total += ++cells[task.seed >> 48] & 1;
    }
    total += task.number;
  }
  pthread_mutex_unlock(&queue.lock);
  *(long *)argument = total;
  return NULL;
}

int main(int argc, char **argv) {
  tasks = argc > 1 ? atol(argv[1]) : 100000;
  pthread_t givers[SIDES], takers[SIDES];
  long totals[SIDES];
  for (int i = 0; i < SIDES; i++) {
    pthread_create(&givers[i], NULL, give, (void *)(size_t)i);
    pthread_create(&takers[i], NULL, take, &totals[i]);
  }
  long total = 0;
  for (int i = 0; i < SIDES; i++) {
    pthread_join(givers[i], NULL);
    pthread_join(takers[i], NULL);
    total += totals[i];
  }
  long sum = 0;
  for (int i = 0; i < CELLS; i++) sum += cells[i];
  printf("%ld\n", sum);
  return total < 0;
}
