// Every access to each packet is known: fill makes three stores, the reader (another thread) two loads in each of three rounds, and close_packet one store.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct packet {
  volatile long length;       // 0
  volatile int kind, state;   // 8, 12
  volatile long sum;          // 16
  struct packet *volatile next; // 24
};

#define NOINLINE __attribute__((noinline))

NOINLINE void fill(struct packet *p, long n) {
  p->length = n; // store 0
  p->kind = 2;   // store 8
  p->next = 0;   // store 24
}
NOINLINE long look(struct packet *p) {
  long length = p->length; // load 0
  return length + p->kind; // load 8
}
NOINLINE void close_packet(struct packet *p) { p->state = 9; } // store 12

static void *reader(void *argument) {
  long sum = 0;
  for (int round = 0; round < 3; round++) sum += look(argument);
  return (void *)sum;
}
static void *reader_that_frees(void *argument) {
  long sum = (long)reader(argument);
  close_packet(argument);
  free(argument);
  return (void *)sum;
}

static long in_thread(void *(*routine)(void *), struct packet *p) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, 0, routine, p);
  pthread_join(thread, &result);
  return (long)result;
}

int main(int count, char **arguments) {
  const int packets = atoi(arguments[1]);
  const char *how = arguments[2];
  long sum = 0;
  for (int i = 0; i < packets; i++) {
    const int is_last = i == packets - 1;
    struct packet *p = malloc(sizeof *p);
    fill(p, i);
    if (!strcmp(how, "elsewhere")) {
      sum += in_thread(reader_that_frees, p);
      continue;
    }
    sum += in_thread(reader, p);
    close_packet(p);
    if (!strcmp(how, "realloc")) {
      p = realloc(p, 4 * sizeof *p);
      close_packet(p);
    }
    if (!strcmp(how, "slow-leak")) usleep(40000);
    if (strstr(how, "leak")) continue;
    if (!strcmp(how, "kill") && is_last) raise(SIGKILL);
    if (!strcmp(how, "crash") && is_last) *(volatile int *)8 = 1;
    if (!strcmp(how, "orphan") && i == packets / 2) kill(getppid(), SIGKILL); // the collector
    if (!strcmp(how, "exit") && is_last) exit(7);
    if (!strcmp(how, "slow")) usleep(30000);
    if (!strcmp(how, "fork") && fork() == 0) {
      close_packet(p); // nobody watches a child
      _exit(0);
    }
    free(p);
  }
  printf("%ld\n", sum);
  return count == 3 ? 0 : 1;
}
