// THREADS threads (argument 1), each with walks of its own through a table of its own: many paths, which each thread meets in another order, and
// words that follow from nothing. STEPS (argument 2) of each, times 1 to 4. END (argument 3): "return", or "kill" when all have walked, every
// second of them still alive.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_THREADS = 64, CELLS = 4096 };
struct cell {
  unsigned next;
  long sum;
};
static struct cell tables[MOST_THREADS][CELLS];
static long totals[MOST_THREADS];
static atomic_int done;
static int steps, stays;

#define CELL(shift) cells[(at >> shift) % CELLS]
#define WALK(number)                                                                                                   \
  __attribute__((noinline)) static unsigned walk##number(struct cell *cells, unsigned at) {                            \
    CELL(1).sum += CELL(5).next + CELL(9).next + CELL(13).next + CELL(17).next;                                        \
    if (at & 1 << 20) CELL(3).sum += number;                                                                           \
    if (at & 1 << 21) CELL(7).sum++;                                                                                   \
    if (at & 1 << 22) CELL(11).next += (unsigned)CELL(15).sum;                                                         \
    return at * 1664525u + 1013904223u + number;                                                                       \
  }
#define WALKS(digit)                                                                                                   \
  WALK(digit##0) WALK(digit##1) WALK(digit##2) WALK(digit##3) WALK(digit##4) WALK(digit##5) WALK(digit##6) WALK(digit##7)
#define NAMES(digit)                                                                                                   \
  walk##digit##0, walk##digit##1, walk##digit##2, walk##digit##3, walk##digit##4, walk##digit##5, walk##digit##6, walk##digit##7
WALKS(1) WALKS(2) WALKS(3) WALKS(4)
static unsigned (*const walks[])(struct cell *, unsigned) = {NAMES(1), NAMES(2), NAMES(3), NAMES(4)};

static void *walk(void *argument) {
  const long which = (long)argument;
  struct cell *cells = tables[which];
  unsigned at = (unsigned)which * 977 + 1;
  for (int i = 0; i < steps * (1 + (int)which % 4); i++) {
    at = walks[(at >> 23) % (sizeof walks / sizeof walks[0])](cells, at);
    if (i % (steps / 2) == 1) { // known to other processes
      long *shared = mmap((char *)(3l << 43) + 4096 * which, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      shared[which] = i;
      munmap(shared, 4096);
    }
  }
  totals[which] = at;
  atomic_fetch_add(&done, 1);
  while (stays && which % 2) pause();
  return NULL;
}

int main(int count, char **words) {
  if (count < 4) return 2;
  const int threads = atoi(words[1]);
  steps = atoi(words[2]);
  stays = strcmp(words[3], "kill") == 0;
  pthread_t handles[MOST_THREADS];
  for (long i = 0; i < threads; i++) pthread_create(&handles[i], NULL, walk, (void *)i);
  for (int i = 0; i < threads; i++)
    if (!stays || i % 2 == 0) pthread_join(handles[i], NULL);
  while (stays && done < threads) usleep(1000);
  if (stays) kill(getpid(), SIGKILL);
  return 0;
}
