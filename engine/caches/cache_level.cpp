// Stage: replay. The search for a victim, for the processors there are.
#include "caches/cache_level.h"

#include <algorithm>
#include <cstring>

namespace dprof {

DPROF_WIDE uint32_t leastOf(const uint32_t *stamps, uint32_t ways) {
  uint32_t least = NO_INDEX, way = NO_INDEX;
  for (uint32_t i = 0; i < ways; i++) least = std::min(least, stamps[i]);
  for (uint32_t i = 0; i < ways; i++) way = std::min(way, stamps[i] == least ? i : NO_INDEX);
  return way;
}

using Eight [[gnu::vector_size(32)]] = uint32_t;
constexpr Eight WAYS = {0, 1, 2, 3, 4, 5, 6, 7};

/// The least of eight, in all of them.
[[gnu::always_inline]] static inline void spreadLeast(Eight &of) {
  Eight others = __builtin_shufflevector(of, of, 4, 5, 6, 7, 0, 1, 2, 3);
  of = of < others ? of : others;
  others = __builtin_shufflevector(of, of, 2, 3, 0, 1, 6, 7, 4, 5);
  of = of < others ? of : others;
  others = __builtin_shufflevector(of, of, 1, 0, 3, 2, 5, 4, 7, 6);
  of = of < others ? of : others;
}

DPROF_WIDE uint32_t leastOf16(const uint32_t *stamps) {
  Eight low, high;
  std::memcpy(&low, stamps, sizeof low);
  std::memcpy(&high, stamps + 8, sizeof high);
  Eight least = low < high ? low : high;
  spreadLeast(least);
  Eight way = low == least ? WAYS : high == least ? WAYS + 8 : WAYS + 16;
  spreadLeast(way);
  return way[0];
}

DPROF_WIDE uint32_t leastOf8(const uint32_t *stamps) {
  Eight least; // a stamp, and behind it its way
  std::memcpy(&least, stamps, sizeof least);
  least = least << 3 | WAYS;
  spreadLeast(least);
  return least[0] & 7;
}

} // namespace dprof
