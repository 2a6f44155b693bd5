// One thread writes messages into a ring, another reads them. With the argument `--waits` it also prints how often each side
// looked at the ring in vain.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MESSAGES 10000
#define SLOTS 64

struct message {
  long number;
  long square;
  char text[48];
};

struct ring {
  pthread_mutex_t lock;
  pthread_cond_t filled, emptied;
  struct message *slots;
  unsigned long head, tail;
};

static _Alignas(64) struct ring ring = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0, 0};

static void *produce(void *unused) {
  (void)unused;
  long waits = 0;
  for (long number = 0; number < MESSAGES; number++) {
    unsigned long head;
    pthread_mutex_lock(&ring.lock);
    while (ring.tail + SLOTS == (head = ring.head)) {
      pthread_cond_wait(&ring.emptied, &ring.lock);
      waits++;
    }
    struct message *slot = &ring.slots[head % SLOTS];
    slot->number = number;
    slot->square = number * number;
    ring.head = head + 1;
    pthread_cond_signal(&ring.filled);
    pthread_mutex_unlock(&ring.lock);
  }
  return (void *)waits;
}

static long consume(long *sum) {
  long waits = 0;
  for (long read = 0; read < MESSAGES; read++) {
    unsigned long tail;
    pthread_mutex_lock(&ring.lock);
    while (ring.head == (tail = ring.tail)) {
      pthread_cond_wait(&ring.filled, &ring.lock);
      waits++;
    }
    struct message *slot = &ring.slots[tail % SLOTS];
    *sum += slot->square - slot->number;
    ring.tail = tail + 1;
    pthread_cond_signal(&ring.emptied);
    pthread_mutex_unlock(&ring.lock);
  }
  return waits;
}

int main(int argc, char **argv) {
  pthread_t producer;
  void *producer_waits;
  ring.slots = aligned_alloc(64, SLOTS * sizeof(struct message));
  if (!ring.slots)
    return 1;
  pthread_create(&producer, NULL, produce, NULL);
  long sum = 0;
  long consumer_waits = consume(&sum);
  pthread_join(producer, &producer_waits);
  printf("sum %ld\n", sum);
  (void)argv;
  if (argc > 1) // --waits
    printf("waits %ld %ld\n", (long)producer_waits, consumer_waits);
  free(ring.slots);
  return 0;
}
