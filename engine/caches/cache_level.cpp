// Stage: replay. The search for a victim, for the processors there are.
#include "caches/cache_level.h"

#include <algorithm>
#include <cstring>

namespace dprof {

using Eight [[gnu::vector_size(32)]] = uint32_t;

/// Of stamps with a number of SHIFT bits behind each, the number behind the least.
template <unsigned SHIFT> [[gnu::always_inline]] inline uint32_t numberOfLeast(const Eight &of) {
  Eight least = of;
  Eight others = __builtin_shufflevector(least, least, 4, 5, 6, 7, 0, 1, 2, 3);
  least = least < others ? least : others;
  others = __builtin_shufflevector(least, least, 2, 3, 0, 1, 6, 7, 4, 5);
  least = least < others ? least : others;
  others = __builtin_shufflevector(least, least, 1, 0, 3, 2, 5, 4, 7, 6);
  least = least < others ? least : others;
  return least[0] & ((1u << SHIFT) - 1);
}

DPROF_WIDE uint32_t leastOf8(const uint32_t *stamps) {
  constexpr Eight WAYS = {0, 1, 2, 3, 4, 5, 6, 7};
  Eight least;
  std::memcpy(&least, stamps, sizeof least);
  return numberOfLeast<3>(least << 3 | WAYS);
}

DPROF_WIDE uint32_t leastOf16(const uint32_t *stamps) {
  constexpr Eight WAYS = {0, 1, 2, 3, 4, 5, 6, 7}, FURTHER = {8, 9, 10, 11, 12, 13, 14, 15};
  Eight least, further;
  std::memcpy(&least, stamps, sizeof least);
  std::memcpy(&further, stamps + 8, sizeof further);
  least = least << 4 | WAYS;
  further = further << 4 | FURTHER;
  return numberOfLeast<4>(least < further ? least : further);
}

DPROF_WIDE uint32_t leastOfMany(const uint32_t *stamps, uint32_t ways) {
  uint32_t least = NO_INDEX, way = NO_INDEX;
  for (uint32_t i = 0; i < ways; i++) least = std::min(least, stamps[i]);
  for (uint32_t i = 0; i < ways; i++) way = std::min(way, stamps[i] == least ? i : NO_INDEX);
  return way;
}

} // namespace dprof
