// Stage: replay. The counts of caches that are nobody's.
#pragma once

#include <cstdint>

namespace dprof {

struct CacheTotals {
  uint64_t invalidations = 0, upgrades = 0, writeBacks = 0;
  uint64_t misses[3] = {};
};

} // namespace dprof
