// Bit-fields beside a field that fills what their unit leaves.
#include <stdlib.h>

struct sample {
#ifdef CHANGED
  long sum;
  short level;
  int count;
  unsigned kind : 8, flags : 8;
#else
  unsigned kind : 8, flags : 8;
  short level;
  int count;
  long sum;
#endif
};

enum { SAMPLES = 500 };

int main(void) {
  struct sample *samples = calloc(SAMPLES, sizeof *samples);
  for (int round = 0; round < 4; round++)
    for (int i = 0; i < SAMPLES; i++) {
      struct sample *one = &samples[i * 7 % SAMPLES];
      one->level += i;
      if (round % 2 == 0) one->kind = one->level & 0xff;
      if (i % 3 == 0) one->flags = round;
      if (i % 5 == 0) one->sum += one->count;
      one->count++;
    }
  int sum = samples[3].kind + samples[4].flags;
  free(samples);
  return sum == -1;
}
