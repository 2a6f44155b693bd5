// One array field, referenced by element and as a whole: one row.
#include <string.h>

struct packet { int length; char pay[40]; struct { int key, value; } slots[4]; };
static struct packet from __attribute__((aligned(256))), to __attribute__((aligned(256)));
struct packet *volatile source = &from, *volatile target = &to;

int main(void) {
  struct packet *in = source, *out = target;
  for (int i = 0; i < 4; ++i) in->pay[i * 8] = 1, in->slots[i].key = i;
  memcpy(out->pay, in->pay, sizeof in->pay);
  memcpy(out->slots, in->slots, sizeof in->slots);
  memset(in->pay, 0, sizeof in->pay);
  out->length = in->length;
  return out->pay[8] + out->slots[2].key - 3;
}
