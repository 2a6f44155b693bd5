// Closed forms of CachePerf's rule on an L1 of 64 sets of 8 lines: sixteen lines on one set, of one variable and of
// sixteen blocks; a long row of lines; and eight lines on one set, which fit.
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 100, LINES = 16, SET_BYTES = 4096 };

static volatile char crowded[LINES * SET_BYTES] __attribute__((aligned(4096)));
static volatile char fitting[8 * SET_BYTES] __attribute__((aligned(4096)));
static volatile char streamed[2048 * 64] __attribute__((aligned(4096)));

int main(int argc, char **argv) {
  (void)argv;
  const int lines = LINES * argc; // so that no loop is unrolled
  volatile char *blocks[LINES];
  // with its header a block has 4096 bytes
  for (int line = 0; line < LINES; line++) blocks[line] = malloc(SET_BYTES - 16);
  for (int round = 0; round < ROUNDS; round++)
    for (int line = 0; line < lines; line++) crowded[line * SET_BYTES] = 1;
  for (int round = 0; round < ROUNDS; round++)
    for (int line = 0; line < lines; line++) *blocks[line] = 1;
  for (int round = 0; round < ROUNDS; round++)
    for (int line = 0; line < lines / 2; line++) fitting[line * SET_BYTES] = 1;
  for (int at = 0; at < 2048 * 64; at += 8) streamed[at] = 1;
  for (int line = 0; line < LINES; line++) free((void *)blocks[line]);
  return puts("done") < 0;
}
