// Known counts of accesses at known addresses: the field `bytes`, 16 bytes into a packet on the heap, into the table that comes to the same memory when the packet
// is gone, and into a variable. Prints the two addresses.

#include <stdio.h>
#include <stdlib.h>

struct packet {
  long lock, kind, bytes, rest[5];
};
struct table {
  long size, used, slots[6];
};

struct table shared;
volatile long taken; // so that no call of take is left out

void foreign(struct packet *packet);

__attribute__((noinline)) void send(struct packet *packet, long bytes) { packet->bytes = bytes; }
__attribute__((noinline)) long take(struct packet *packet) { return taken++, packet->bytes; }
__attribute__((noinline)) void put(struct table *table, long value) { table->slots[0] = value; }
__attribute__((noinline)) void publish(long value) { shared.slots[0] = value; }

int main(void) {
  struct packet *packet = malloc(sizeof *packet);
  long sum = 0;
  printf("%p %p\n", (void *)&packet->bytes, (void *)&shared.slots[0]);
  for (int i = 0; i < 30; i++) send(packet, i);
  for (int i = 0; i < 20; i++) sum += take(packet);
  for (int i = 0; i < 5; i++) foreign(packet);
  volatile unsigned long was = (unsigned long)packet; // compilers know that a pointer to what is gone is no other pointer
  free(packet);
  struct table *table = malloc(sizeof *table);
  if ((unsigned long)table != was) return 2;
  for (int i = 0; i < 40; i++) put(table, sum);
  for (int i = 0; i < 7; i++) publish(sum);
  free(table);
  return 0;
}
