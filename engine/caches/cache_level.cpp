// Stage: replay. The search for a victim, for the processors there are.
#include "caches/cache_level.h"

#include <algorithm>

namespace dprof {

DPROF_WIDE uint32_t leastOf(const uint32_t *stamps, uint32_t ways) {
  uint32_t least = NO_INDEX, way = NO_INDEX;
  for (uint32_t i = 0; i < ways; i++) least = std::min(least, stamps[i]);
  for (uint32_t i = 0; i < ways; i++) way = std::min(way, stamps[i] == least ? i : NO_INDEX);
  return way;
}

} // namespace dprof
