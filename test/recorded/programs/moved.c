// Lists that grow by allocations. With an argument, the thread goes to another CPU before each, if there are two.
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>

struct cell {
  long key;
  struct cell *next;
};
static struct cell *cells[64];

int main(int count, char **words) {
  (void)words;
  static _Alignas(64) cpu_set_t allowed, places[2];
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int cpu = 0, place = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    for (int i = place; i < 2; i++) { // with one CPU, both are it
      CPU_ZERO(&places[i]);
      CPU_SET(cpu, &places[i]);
    }
    if (++place == 2) break;
  }
  for (long i = 0; i < 3000; i++) {
    sched_setaffinity(0, sizeof places[0], &places[i % 2 * (count > 1)]);
    struct cell *cell = malloc(sizeof *cell);
    cell->key = i;
    cell->next = cells[i % 64];
    cells[i % 64] = cell;
    for (; cell; cell = cell->next) cell->key++;
  }
  return 0;
}
