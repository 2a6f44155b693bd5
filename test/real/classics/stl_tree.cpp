// Look-ups in a std::map of 40,000 orders: every step down the tree is another line, and the tree is larger than the
// L2. Fix: a sorted vector of keys and prices.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

constexpr int ORDERS = 40000, LOOKUPS = 200000;

static uint32_t draw() {
  static uint32_t state = 12345;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

#ifdef FIXED
struct order_book {
  std::vector<std::pair<uint32_t, uint32_t>> orders;
  void add(uint32_t key, uint32_t price) { orders.emplace_back(key, price); }
  void finish() { std::sort(orders.begin(), orders.end()); }
  uint32_t price(uint32_t key) const {
    auto at = std::lower_bound(orders.begin(), orders.end(), std::pair<uint32_t, uint32_t>(key, 0));
    return at == orders.end() ? 0 : at->second;
  }
};
#else
struct order_book {
  std::map<uint32_t, uint32_t> orders;
  void add(uint32_t key, uint32_t price) { orders[key] = price; }
  void finish() {}
  uint32_t price(uint32_t key) const {
    auto at = orders.lower_bound(key); // the finding
    return at == orders.end() ? 0 : at->second;
  }
};
#endif

int main() {
  order_book book;
  for (int i = 0; i < ORDERS; i++) book.add(draw(), i);
  book.finish();
  uint64_t total = 0;
  for (int i = 0; i < LOOKUPS; i++) total += book.price(draw());
  std::printf("%llu\n", static_cast<unsigned long long>(total));
}
