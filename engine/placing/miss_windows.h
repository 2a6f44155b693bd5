// Stage: trace -> placing. CachePerf's rule for conflicts: of an instruction's misses, so many at a time, whether many
// are on one set. src/what-if/miss-windows.ts is the same.
#pragma once

#include <unordered_map>
#include <vector>

#include "placing/cacheperf_counts.h"

namespace dprof {

class MissWindows {
public:
  MissWindows(const CacheperfRequest &request, std::vector<CacheperfCounts> &counts)
      : request_(request), counts_(counts), open_(request.rows) {}
  /// `block`: the number of the heap object; NO_INDEX: none.
  void miss(uint32_t row, uint32_t slot, uint32_t thread, uint64_t line, uint32_t block);

private:
  struct Miss {
    uint32_t set, block;
  };
  void judge(CacheperfCounts &counts, std::vector<Miss> &misses) const;

  const CacheperfRequest &request_;
  std::vector<CacheperfCounts> &counts_;
  /// By row, then by slot and thread: the misses of the window that is under way.
  std::vector<std::unordered_map<uint64_t, std::vector<Miss>>> open_;
};

} // namespace dprof
