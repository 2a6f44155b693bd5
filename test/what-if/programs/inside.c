// A struct that lies in another one and stays as large as it is, but has its hot fields in one line; or not.
#include <stdio.h>
#include <stdlib.h>

struct inner {
#ifdef CHANGED
  volatile long first, last;
  char between[112];
#else
  volatile long first;
  char between[112];
  volatile long last;
#endif
};
struct outer {
  volatile long key;
  struct inner inner[2];
  volatile long value;
};

int main(void) {
  struct outer *outers = calloc(400, sizeof *outers);
  long sum = 0;
  for (int round = 0; round < 4; round++)
    for (int i = 0; i < 400; i++) {
      struct outer *one = &outers[i * 7 % 400];
      for (int part = 0; part < 2; part++) one->inner[part].first += one->inner[part].last + one->key;
      sum += one->value;
    }
  printf("%ld\n", sum);
  free(outers);
}
