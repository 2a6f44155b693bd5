// Stage: trace -> placing. The L1 of one thread for CachePerf's rule: true LRU, and no other thread takes lines out of
// it. src/what-if/private-cache.ts is the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dprof {

class PrivateCache {
public:
  PrivateCache(uint32_t sets, uint32_t ways) : sets_(sets), ways_(ways), lines_(size_t{sets} * ways, NO_LINE) {}

  /// Whether a reference to the line misses. Then the line is filled.
  bool misses(uint64_t line) {
    uint64_t *const newest = &lines_[line % sets_ * ways_];
    if (*newest == line) return false;
    uint64_t *const at = std::find(newest, newest + ways_, line);
    const bool isThere = at != newest + ways_;
    std::copy_backward(newest, isThere ? at : at - 1, isThere ? at + 1 : at);
    *newest = line;
    return !isThere;
  }

private:
  static constexpr uint64_t NO_LINE = ~uint64_t{0};
  const uint64_t sets_, ways_;
  std::vector<uint64_t> lines_; // by set: the newest first
};

} // namespace dprof
