// What test/check checks, a word for each kind of work:
//   list N        N nodes on the heap, walked twice; each walk sets a mark
//   counters      two threads, two counters of one line
//   queue         two threads take tasks under one lock: counts depend on who comes first
//   read          what standard input has
//   end STATUS    words on both outputs, and that exit status
//   die           by a signal
#include <dprof.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  long key;
  struct node *next;
  long value;
};

struct counters {
  volatile long left;
  volatile long right;
};

struct task {
  struct task *next;
  long input;
  long output;
};

struct queue {
  pthread_mutex_t lock;
  struct task *first;
};

static _Alignas(64) struct counters counters;
static _Alignas(64) struct queue queue = {PTHREAD_MUTEX_INITIALIZER, NULL};

static struct node *push(struct node *next, long key) {
  struct node *node = malloc(sizeof *node);
  if (!node) exit(1);
  node->key = key;
  node->next = next;
  node->value = 0;
  return node;
}

static long sum_up(const struct node *list) {
  long sum = 0;
  for (; list; list = list->next) sum += list->key;
  return sum;
}

static void walk_list(long nodes) {
  struct node *list = NULL;
  for (long key = 0; key < nodes; key++) list = push(list, key);
  for (int walk = 0; walk < 2; walk++) {
    dprof_mark("walk");
    printf("%ld\n", sum_up(list));
  }
}

static void *count_left(void *unused) {
  for (int i = 0; i < 500; i++) counters.left++;
  return unused;
}

static void *count_right(void *unused) {
  for (int i = 0; i < 500; i++) counters.right++;
  return unused;
}

static void *take(void *unused) {
  for (;;) {
    pthread_mutex_lock(&queue.lock);
    struct task *task = queue.first;
    if (task) queue.first = task->next;
    pthread_mutex_unlock(&queue.lock);
    if (!task) return unused;
    task->output = task->input * 3 + 1;
  }
}

static void run_two(void *(*one)(void *), void *(*other)(void *)) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, NULL);
  pthread_create(&threads[1], NULL, other, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

static void fill_queue(void) {
  for (long input = 0; input < 500; input++) {
    struct task *task = malloc(sizeof *task);
    if (!task) exit(1);
    task->input = input;
    task->next = queue.first;
    queue.first = task;
  }
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  const long number = count > 2 ? atol(words[2]) : 0;
  if (!strcmp(what, "list")) walk_list(number);
  if (!strcmp(what, "counters")) run_two(count_left, count_right);
  if (!strcmp(what, "queue")) {
    fill_queue();
    run_two(take, take);
  }
  if (!strcmp(what, "read"))
    for (int letter; (letter = getchar()) != EOF;) counters.left += letter;
  if (!strcmp(what, "end")) {
    puts("said on standard output");
    fputs("said on standard error\n", stderr);
    return (int)number;
  }
  if (!strcmp(what, "die")) raise(SIGSEGV);
  return 0;
}
