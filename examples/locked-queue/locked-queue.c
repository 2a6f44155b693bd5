// Two workers take tasks from one list under one lock and work on them outside it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define TASKS 20000
#define WORKERS 2

struct task {
  struct task *next;
  long input;
  long output;
  char name[40];
};

struct queue {
  pthread_mutex_t lock;
  struct task *first;
  long taken;
};

static _Alignas(64) struct queue queue = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

static struct task *take(void) {
  pthread_mutex_lock(&queue.lock);
  struct task *task = queue.first;
  if (task) {
    queue.first = task->next;
    queue.taken++;
  }
  pthread_mutex_unlock(&queue.lock);
  return task;
}

static void *work(void *unused) {
  struct task *task;
  while ((task = take()))
    task->output = task->input * 3 + 1;
  return unused;
}

int main(void) {
  struct task *tasks = aligned_alloc(64, TASKS * sizeof(struct task));
  if (!tasks)
    return 1;
  struct task *first = NULL;
  for (long input = 0; input < TASKS; input++) {
    tasks[input].input = input;
    tasks[input].next = first;
    first = &tasks[input];
  }
  queue.first = first;
  pthread_t workers[WORKERS];
  for (int worker = 0; worker < WORKERS; worker++)
    pthread_create(&workers[worker], NULL, work, NULL);
  for (int worker = 0; worker < WORKERS; worker++)
    pthread_join(workers[worker], NULL);
  long sum = 0;
  for (long input = 0; input < TASKS; input++)
    sum += tasks[input].output;
  printf("taken %ld, sum %ld\n", queue.taken, sum);
  free(tasks);
  return 0;
}
