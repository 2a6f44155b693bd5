// Stage: trace -> placing. What CachePerf's rule is asked, and what it counts. src/what-if/cacheperf-columns.ts says
// what each number is.
#pragma once

#include <cstdint>

#include "trace/input.h"

namespace dprof {

struct CacheperfRequest {
  Column<uint32_t> rowOfSlot, rowOfVariable; // of heap objects, of others: 1 + the row; 0: none
  uint32_t rows, lineShift, sets, ways, window, crowd;
};

/// What one row counted.
struct CacheperfCounts {
  uint64_t misses = 0, windows = 0, conflicts = 0, conflictsAcross = 0;
  uint64_t trueSharing = 0, falseSharing = 0, sharingAcross = 0;

  template <typename Take> static void each(Take take) {
    take("misses", &CacheperfCounts::misses);
    take("windows", &CacheperfCounts::windows);
    take("conflicts", &CacheperfCounts::conflicts);
    take("conflictsAcross", &CacheperfCounts::conflictsAcross);
    take("trueSharing", &CacheperfCounts::trueSharing);
    take("falseSharing", &CacheperfCounts::falseSharing);
    take("sharingAcross", &CacheperfCounts::sharingAcross);
  }
};

} // namespace dprof
