// Stage: replay. The search for a victim, for the processors there are.
#include "caches/cache_level.h"

#include <algorithm>
#include <cstring>

namespace dprof {

[[gnu::always_inline]] static inline uint32_t leastIn(const uint32_t *stamps, uint32_t ways) {
  uint32_t least = NO_INDEX, way = NO_INDEX;
  for (uint32_t i = 0; i < ways; i++) least = std::min(least, stamps[i]);
  for (uint32_t i = 0; i < ways; i++) way = std::min(way, stamps[i] == least ? i : NO_INDEX);
  return way;
}

DPROF_WIDE uint32_t leastOf(const uint32_t *stamps, uint32_t ways) { return leastIn(stamps, ways); }

DPROF_WIDE uint32_t leastOf16(const uint32_t *stamps) { return leastIn(stamps, 16); }

DPROF_WIDE uint32_t leastOf8(const uint32_t *stamps) {
  using Eight [[gnu::vector_size(32)]] = uint32_t;
  constexpr Eight WAYS = {0, 1, 2, 3, 4, 5, 6, 7};
  Eight least; // a stamp, and behind it its way
  std::memcpy(&least, stamps, sizeof least);
  least = least << 3 | WAYS;
  Eight others = __builtin_shufflevector(least, least, 4, 5, 6, 7, 0, 1, 2, 3);
  least = least < others ? least : others;
  others = __builtin_shufflevector(least, least, 2, 3, 0, 1, 6, 7, 4, 5);
  least = least < others ? least : others;
  others = __builtin_shufflevector(least, least, 1, 0, 3, 2, 5, 4, 7, 6);
  least = least < others ? least : others;
  return least[0] & 7;
}

} // namespace dprof
