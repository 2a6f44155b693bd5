// Stage: trace -> placing. CachePerf's rule for sharing: at most two threads that hold a line, as Predator and Cheetah
// keep them; a store takes it from the other. src/what-if/line-sharers.ts is the same.
#pragma once

#include <vector>

#include "base/page_map.h"
#include "placing/cacheperf_counts.h"

namespace dprof {

class LineSharers {
public:
  static constexpr unsigned WORDS = 16; // in a line
  LineSharers(const CacheperfRequest &request, std::vector<CacheperfCounts> &counts)
      : request_(request), counts_(counts), pages_(request.lineShift), lines_(size_t{1} << pages_.linesShift) {}
  /// To bytes in one line; `row`, `block`: as of a sharer.
  void reference(uint32_t thread, bool store, uint64_t address, uint64_t size, uint32_t row, uint32_t block);

private:
  struct Sharer {
    uint32_t thread;
    uint32_t row, block; // of what it referenced last: 1 + the row, or 0; the heap object, or NO_INDEX
    uint16_t words;      // that it referenced since it has the line
  };
  struct Line {
    Sharer sharers[2]; // of different threads
    uint8_t count = 0;
  };
  Line &lineAt(uint64_t address);
  uint16_t wordsOf(uint64_t address, uint64_t size) const;
  void invalidate(const Line &line, const Sharer &store);

  const CacheperfRequest &request_;
  std::vector<CacheperfCounts> &counts_;
  PageMap pages_;
  std::vector<Line> lines_; // by frame of the page
};

} // namespace dprof
