// Sums over a shuffled array: one thread for good, for nothing here could start another, or load a module.
enum { CELLS = 1 << 14 };
struct cell {
  long next, sum;
};
static struct cell cells[CELLS];

int main(void) {
  for (long i = 0; i < CELLS; i++) cells[i].next = (i * 8121 + 28411) % CELLS;
  unsigned long seed = 1, at = 0;
  for (long i = 0; i < 1500000; i++) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    cells[(seed >> 33) % CELLS].sum += cells[at].sum;
    at = (unsigned long)cells[(seed >> 40) % CELLS].next;
  }
  return 7;
}
