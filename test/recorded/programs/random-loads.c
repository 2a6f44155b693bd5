// Loads at random places of one array: no prediction is right, so a short run makes a long trace.
#include <stdint.h>

#define LOADS 1500000u

static volatile int64_t table[1 << 16];
static volatile int64_t sum;

int main(void) {
  uint64_t state = 88172645463325252u;
  int64_t local = 0;
  for (unsigned i = 0; i < LOADS; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    local += table[state >> 48];
  }
  sum = local;
  return 0;
}
