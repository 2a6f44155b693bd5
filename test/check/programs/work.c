// What test/check checks, a word for each kind of work:
//   list N        N nodes on the heap, walked twice; each walk sets a mark
//   counters      two threads, two counters of one line
//   requests      two threads add to one counter: counts depend on who comes first
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

struct statistics {
  _Atomic long requests;
  long unused[5];
};

static _Alignas(64) struct counters counters;
static _Alignas(64) struct statistics statistics;

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

static void *request(void *unused) {
  for (int i = 0; i < 500; i++) statistics.requests++;
  return unused;
}

static void run_two(void *(*one)(void *), void *(*other)(void *)) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, NULL);
  pthread_create(&threads[1], NULL, other, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  const long number = count > 2 ? atol(words[2]) : 0;
  if (!strcmp(what, "list")) walk_list(number);
  if (!strcmp(what, "counters")) run_two(count_left, count_right);
  if (!strcmp(what, "requests")) run_two(request, request);
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
