// Lists of cells in bins, as in live.c, of one thread for good: nothing here could start another, or load a module.
#include "dprof.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct cell {
  long key, value;
  struct cell *next;
};
struct bin {
  struct cell *first;
  long used;
};
enum { CELLS = 4000, BINS = 256 };
static struct bin bins[BINS];

static void fill(void) {
  for (long i = 0; i < CELLS; i++) {
    struct cell *cell = malloc(sizeof *cell);
    struct bin *bin = &bins[(i * 7919) % BINS];
    *cell = (struct cell){i, 0, bin->first};
    bin->first = cell;
    bin->used++;
  }
}

__attribute__((noinline)) static void walk(long rounds) {
  unsigned long seed = 1;
  for (long i = 0; i < rounds; i++) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    for (struct cell *cell = bins[(seed >> 40) % BINS].first; cell && cell->key != (long)((seed >> 33) % CELLS); cell = cell->next) cell->value++;
  }
}

__attribute__((noinline)) static void clear(void) {
  for (int i = 0; i < BINS; i++)
    for (struct cell *cell = bins[i].first; cell; cell = cell->next) cell->value = 0;
}

int main(int count, char **words) {
  const char *mode = count > 1 ? words[1] : "";
  long rounds = count > 2 ? atol(words[2]) : 20000;
  long walks = count > 3 ? atol(words[3]) : 20;
  const int is_quick = strcmp(mode, "at-once") == 0;
  const struct timespec pause = {0, 20000000}, until_it_is_read = {2, 0};
  if (strcmp(mode, "stubborn") == 0) signal(SIGINT, SIG_IGN);
  fill();
  if (is_quick) nanosleep(&until_it_is_read, NULL);
  for (long i = 0; i < walks; i++) {
    if (i % 5 == 0) dprof_mark("five walks");
    if (i == walks / 2) clear();
    walk(rounds);
    if (!is_quick) nanosleep(&pause, NULL);
  }
  return 7;
}
