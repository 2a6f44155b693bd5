// Stage: replay. The search for a victim, for the processors there are.
#include "caches/cache_level.h"

#include <algorithm>
#include <vector>

namespace dprof {

DPROF_WIDE uint32_t leastOfMany(const uint32_t *stamps, uint32_t ways) {
  uint32_t least = NO_INDEX, way = NO_INDEX;
  for (uint32_t i = 0; i < ways; i++) least = std::min(least, stamps[i]);
  for (uint32_t i = 0; i < ways; i++) way = std::min(way, stamps[i] == least ? i : NO_INDEX);
  return way;
}

DPROF_WIDE uint32_t StampedLevel::fill(uint64_t lineNumber, uint32_t id, uint32_t &victim) {
  const Filled filled = StampedSets::fill(lineNumber, id, tick());
  victim = filled.victim;
  return filled.place;
}

void rankStamps(uint32_t *stamps, uint32_t ways) {
  const std::vector<uint32_t> before(stamps, stamps + ways);
  for (uint32_t way = 0; way < ways; way++)
    if (before[way])
      stamps[way] = static_cast<uint32_t>(
          std::count_if(before.begin(), before.end(), [&](uint32_t of) { return of && of <= before[way]; }));
}

} // namespace dprof
