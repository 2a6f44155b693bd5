// A packed struct in one that is laid out alike whether it is packed or not, of which another field goes first.
#include <stdio.h>
#include <stdlib.h>

struct part {
  char kind;
  volatile int value;
} __attribute__((packed));

#ifdef CHANGED
struct holder {
  struct part part;
  volatile int sum;
  char name[3];
};
#else
struct holder {
  struct part part;
  char name[3];
  volatile int sum;
};
#endif

int main(void) {
  struct holder *holders = calloc(2000, sizeof *holders);
  long sum = 0;
  for (int round = 0; round < 4; round++)
    for (int i = 0; i < 2000; i++) {
      struct holder *one = &holders[i * 7 % 2000];
      one->sum += one->part.value + round;
      sum += one->sum;
    }
  printf("%ld\n", sum);
  free(holders);
}
