// A network stack that looks at the headers of packets whose buffers come from a slab of size 1024, as in the DProf paper's first figure. Buffers of
// 1 KiB begin at multiples of 1 KiB, so their headers can lie in every 16th set only, of an L1 with 64 sets in 4: they crowd there and
// throw each other out, while the other 60 sets are hardly used. -DAFTER: slab colouring, as Linux's SLAB had it: each
// slab begins a line later in its memory than the one before.
#include "../cores.h"

#ifndef ROUNDS
#define ROUNDS 200
#endif
#define PACKETS 64
#define SIZE 1024
#define SLAB 4 // buffers that are taken from the page allocator at a time

struct header {
  long source, destination;
  int protocol, length;
  long checksum;
  char more[32];
};

struct packet { // of the size class 1024; the payload is not looked at here
  struct header header;
  char payload[SIZE - sizeof(struct header)];
};

struct flow {
  long source;
  long packets, bytes;
};

struct ring {
  struct packet *packets[PACKETS];
};

static _Alignas(SIZE) char slab[(PACKETS + 1) * SIZE];
static struct ring ring;
static struct flow flows[8];

static void fill_ring(void) {
  for (long number = 0; number < PACKETS; number++) {
#ifdef AFTER
    long colour = number / SLAB * LINE;
#else
    long colour = 0;
#endif
    struct packet *packet = (struct packet *)&slab[number * SIZE + colour];
    dprof_alloc(packet, sizeof *packet, "struct packet");
    packet->header.source = number;
    packet->header.length = SIZE;
    ring.packets[number] = packet;
  }
}

static void classify(struct packet *packet) {
  struct flow *flow = &flows[packet->header.source % 8];
  flow->packets++;
  flow->bytes += packet->header.length;
  packet->header.checksum += packet->header.source;
}

int main(void) {
  fill_ring();
  double begin = seconds();
  for (long round = 0; round < ROUNDS; round++) {
    dprof_mark("round");
    for (int number = 0; number < PACKETS; number++)
      classify(ring.packets[number]);
  }
  tell_rate("packets", (long)ROUNDS * PACKETS, begin);
  return 0;
}
