// Packets made in one thread, worked on in another, freed in a third; what threads have in common besides.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct packet {
  struct packet *next;
  int length;
  char bytes[80];
};

struct queue {
  pthread_mutex_t lock;
  pthread_cond_t filled;
  struct packet *first, **last;
  long passed;
};

struct statistics {
  long packets;
  long bytes;
  long errors;
};

struct queue to_worker, to_freer;
struct statistics statistics;
static pthread_mutex_t statistics_lock;
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[64];
static sem_t slots;
static _Thread_local struct statistics own;
static atomic_long ticks;

static void start(struct queue *queue) {
  pthread_mutex_init(&queue->lock, 0);
  pthread_cond_init(&queue->filled, 0);
  queue->last = &queue->first;
}

static __attribute__((noinline)) void push(struct queue *queue, struct packet *packet) {
  pthread_mutex_lock(&queue->lock);
  packet->next = 0;
  *queue->last = packet;
  queue->last = &packet->next;
  queue->passed++;
  pthread_cond_signal(&queue->filled);
  pthread_mutex_unlock(&queue->lock);
}

static __attribute__((noinline)) struct packet *pop(struct queue *queue) {
  pthread_mutex_lock(&queue->lock);
  while (!queue->first) pthread_cond_wait(&queue->filled, &queue->lock);
  struct packet *packet = queue->first;
  queue->first = packet->next;
  if (!queue->first) queue->last = &queue->first;
  pthread_mutex_unlock(&queue->lock);
  return packet;
}

static __attribute__((noinline)) void count(const struct packet *packet, int nested) {
  pthread_mutex_lock(&statistics_lock); // recursive
  statistics.packets++;
  statistics.bytes += packet->length;
  own.packets++;
  if (nested) {
    pthread_mutex_lock(&statistics_lock);
    statistics.errors++;
    pthread_mutex_unlock(&statistics_lock);
  }
  atomic_fetch_add(&ticks, 1);
  pthread_mutex_unlock(&statistics_lock);
}

static void *work(void *unused) {
  long sum = 0;
  char copy[80];
  for (;;) {
    struct packet *packet = pop(&to_worker);
    int length = packet->length;
    memcpy(copy, packet->bytes, 80);
    pthread_rwlock_rdlock(&table_lock);
    for (int i = 0; i < 80; i += 9) sum += table[copy[i] & 63];
    pthread_rwlock_unlock(&table_lock);
    count(packet, length % 5 == 0);
    packet->bytes[3] = (char)sum;
    push(&to_freer, packet);
    if (length == 0) break;
  }
  return (void *)sum;
}

static void *freer(void *unused) {
  for (;;) {
    struct packet *packet = pop(&to_freer);
    int length = packet->length;
    count(packet, 0);
    own.bytes += packet->bytes[3];
    if (length % 7 == 3) {
      struct packet *copy = malloc(sizeof *copy);
      *copy = *packet;
      free(packet);
      packet = copy;
    }
    if (length % 11 == 5) {
      pthread_rwlock_wrlock(&table_lock);
      table[length & 63]++;
      pthread_rwlock_unlock(&table_lock);
    }
    sem_post(&slots);
    free(packet);
    if (length == 0) break;
  }
  pthread_mutex_lock(&to_worker.lock); // and never unlocked
  return 0;
}

int main(void) {
  pthread_t threads[2];
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&statistics_lock, &recursive);
  start(&to_worker);
  start(&to_freer);
  sem_init(&slots, 0, 8);
  pthread_create(&threads[0], 0, work, 0);
  pthread_create(&threads[1], 0, freer, 0);
  for (int i = 200; i >= 0; i--) {
    sem_wait(&slots);
    struct packet *packet = malloc(sizeof *packet);
    packet->length = i;
    memset(packet->bytes, i, 80);
    push(&to_worker, packet);
    own.errors += i & 1;
    if (i % 40 == 0) statistics.errors++;
  }
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  printf("%ld %ld %ld %ld\n", statistics.packets, statistics.bytes, (long)ticks, own.errors);
  return 0;
}
