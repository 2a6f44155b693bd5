// A packed struct in one that is not.
#include <stdio.h>
#include <stdlib.h>

struct part {
  char kind;
  volatile int value;
#ifdef CHANGED
  unsigned char padding[40];
#endif
} __attribute__((packed));

struct holder {
  volatile long key;
  struct part parts[8];
};

int main(void) {
  struct holder *holders = calloc(300, sizeof *holders);
  long sum = 0;
  for (int round = 0; round < 4; round++)
    for (int i = 0; i < 300; i++) sum += holders[i].key + holders[i].parts[(i + round) % 8].value++;
  printf("%ld\n", sum);
  free(holders);
}
