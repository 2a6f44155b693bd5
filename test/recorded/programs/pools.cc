// Allocators of the program's own: an arena whose members the optimiser inlines, a slab in a global, one that gives through an argument, and dprof.h.
#include <dprof.h>
#include <stdlib.h>
#include <string.h>

namespace shop {
struct Item { long price, count; };
struct Order { long id; Item *first; long weight; };

class Arena {
public:
  Arena() : begin_((char *)malloc(1 << 16)), next_(begin_) {}
  ~Arena() { free(begin_); }
  void *take(unsigned bytes) {
    char *at = next_;
    next_ += (bytes + 15) & ~15u;
    return at;
  }
  void reset() { next_ = begin_; }

private:
  char *begin_, *next_;
};

template <typename T> struct Slab {
  static inline char memory[4096];
  static inline unsigned used;
  static T *get() { return (T *)(memory + sizeof(T) * used++); }
  static void put(T *) { used--; }
};
} // namespace shop

struct node { long key; struct node *next; };
alignas(64) static char spare[64];

static int make_node(struct node **out, unsigned long bytes) {
  static char room[256];
  static unsigned used;
  if (used + bytes > sizeof room) return 1;
  *out = (struct node *)(room + used);
  used += bytes;
  return 0;
}

int main() {
  shop::Arena arena;
  long sum = 0;
  for (int round = 0; round < 3; round++) {
    auto *order = (shop::Order *)arena.take(sizeof(shop::Order));
    order->first = (shop::Item *)arena.take(4 * sizeof(shop::Item));
    memset(order->first, round, 4 * sizeof(shop::Item)); // says no type itself
    arena.reset();
  }
  auto *slot = shop::Slab<shop::Order>::get();
  memset(slot, 1, sizeof *slot);
  shop::Slab<shop::Order>::put(slot);
  struct node *made = nullptr;
  for (int i = 0; i < 20; i++)
    if (make_node(&made, sizeof(struct node)) == 0) memset(made, i, sizeof *made);
  dprof_alloc(spare, 32, "struct page");
  memset(spare, 7, 32);
  dprof_free(spare);
  dprof_mark("end");
  for (unsigned i = 0; i < sizeof spare; i++) sum += spare[i];
  return sum == 7 * 32 ? 0 : 1;
}
