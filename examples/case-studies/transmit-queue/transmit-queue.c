// A key-value server behind a network card with a receive and a transmit queue for each core, as memcached behind ixgbe in the DProf paper. A
// core takes packets from its receive queue, answers them and hands the answers to a transmit queue, which the core that it belongs to empties.
// Which queue? Before: the one that the packet's flow hash names, as Linux's skb_tx_hash did where a driver had not chosen. -DAFTER: the
// core's own, as the driver's own ndo_select_queue does.
//
// Stand-ins: alloc_skb and kfree_skb for the slab allocator, whose caches are per core and take whatever the core frees; receive for the card, which
// puts packets into memory; transmit for the card's other end.
#include "../cores.h"

#ifndef CORES
#define CORES 4
#endif
#ifndef ROUNDS
#define ROUNDS 40
#endif
#define BATCH 32 // packets taken at a time: NAPI's budget
#define SKBS (4 * BATCH)
#define ITEMS 256

struct payload { // of the size class 1024
  char headers[64];
  char request[64];
  char answer[896];
};

struct sk_buff { // aligned to lines, as the kernel's cache has them
  _Alignas(LINE) struct sk_buff *next;
  struct payload *data;
  unsigned length, hash;
  int receive_core;
  char control[48]; // what each layer keeps for itself
  long time_stamp;
  long destination;
  char more[136];
};

struct tx_queue {
  _Alignas(LINE) pthread_mutex_t lock;
  struct sk_buff *head, *tail;
  long length;
  _Alignas(LINE) long packets, bytes; // the owner's
};

struct item {
  long key, value;
  char data[48];
};

/// What belongs to a core and nobody else is meant to touch.
struct core {
  _Alignas(LINE) struct sk_buff *free; // its slab cache
  struct sk_buff *chosen[CORES];       // answers on their way, by transmit queue
  struct sk_buff *last[CORES];
  long received;
  struct item items[ITEMS];
};

struct slab { // what its cache has from the page allocator
  struct sk_buff skbs[SKBS];
  struct payload payloads[SKBS];
};

static struct core cores[CORES];
static _Alignas(4096) struct slab slabs[CORES];
static struct tx_queue tx_queues[CORES];

static struct sk_buff *alloc_skb(struct core *core) {
  struct sk_buff *skb = core->free;
  core->free = skb->next;
  dprof_alloc(skb, sizeof *skb, "struct sk_buff");
  dprof_alloc(skb->data, sizeof *skb->data, "struct payload");
  return skb;
}

static void kfree_skb(struct core *core, struct sk_buff *skb) {
  skb->next = core->free;
  core->free = skb;
  dprof_free(skb->data);
  dprof_free(skb);
}

static struct sk_buff *receive(struct core *core, int number) {
  struct sk_buff *skb = alloc_skb(core);
  long packet = core->received++;
  memset(skb->data->headers, 'h', sizeof skb->data->headers);
  memset(skb->data->request, 'a' + packet % 26, sizeof skb->data->request);
  skb->length = 128;
  skb->hash = (unsigned)packet; // flows spread evenly
  skb->receive_core = number;
  skb->time_stamp = packet;
  return skb;
}

/// The server itself: finds the item, writes the answer over the request.
static void answer(struct core *core, struct sk_buff *skb) {
  long key = 0;
  for (int byte = 0; byte < 16; byte++)
    key = 31 * key + skb->data->request[byte];
  struct item *item = &core->items[(unsigned long)key % ITEMS];
  item->key = key;
  item->value++;
  memcpy(skb->data->answer, item->data, sizeof item->data);
  memset(skb->data->headers, 'H', sizeof skb->data->headers);
  skb->length = 192;
  dprof_mark("request");
}

static int select_queue(const struct sk_buff *skb) {
#ifdef AFTER
  return skb->receive_core;
#else
  return (int)(skb->hash % CORES);
#endif
}

/// The answers that this core has for one queue, linked to its end.
static void dev_queue_xmit(struct core *core, int number) {
  struct tx_queue *queue = &tx_queues[number];
  struct sk_buff *skb = core->chosen[number];
  if (!skb)
    return;
  core->chosen[number] = NULL;
  pthread_mutex_lock(&queue->lock);
  while (skb) {
    struct sk_buff *next = skb->next;
    skb->next = NULL;
    skb->destination = number;
    if (queue->head)
      queue->tail->next = skb;
    else
      queue->head = skb;
    queue->tail = skb;
    queue->length++;
    skb = next;
  }
  pthread_mutex_unlock(&queue->lock);
}

/// The core's own queue: what is in it goes out.
static void transmit(struct core *core, struct tx_queue *queue) {
  pthread_mutex_lock(&queue->lock);
  struct sk_buff *skb = queue->head;
  queue->head = queue->tail = NULL;
  queue->length = 0;
  pthread_mutex_unlock(&queue->lock);
  while (skb) {
    struct sk_buff *next = skb->next;
    unsigned checksum = 0;
    for (int byte = 0; byte < 64; byte += 4) // the headers; the card fetches the rest
      checksum += (unsigned)skb->data->headers[byte];
    queue->packets++;
    queue->bytes += skb->length + (checksum & 1);
    kfree_skb(core, skb);
    skb = next;
  }
}

/// As a driver does it: each core's memory is taken and first touched by the core itself.
static void open_queues(struct core *core, struct slab *slab, struct tx_queue *queue) {
  pthread_mutex_init(&queue->lock, NULL);
  for (int skb = 0; skb < SKBS; skb++) {
    slab->skbs[skb].data = &slab->payloads[skb];
    slab->skbs[skb].next = core->free;
    core->free = &slab->skbs[skb];
  }
}

static void *serve(void *argument) {
  int number = (int)(long)argument;
  struct core *core = &cores[number];
  open_queues(core, &slabs[number], &tx_queues[number]);
  for (int round = 0; round < ROUNDS; round++) {
    for (int packet = 0; packet < BATCH; packet++) {
      struct sk_buff *skb = receive(core, number);
      answer(core, skb);
      int queue = select_queue(skb);
      skb->next = NULL;
      if (core->chosen[queue])
        core->last[queue]->next = skb;
      else
        core->chosen[queue] = skb;
      core->last[queue] = skb;
    }
    for (int step = 0; step < CORES; step++) { // at any time only one core is at a queue
      meet();
      dev_queue_xmit(core, (number + step) % CORES);
    }
    meet();
    transmit(core, &tx_queues[number]);
  }
  return NULL;
}

int main(void) {
  double begin = seconds();
  run_on(CORES, serve);
  tell_rate("requests", (long)CORES * ROUNDS * BATCH, begin);
  return 0;
}
