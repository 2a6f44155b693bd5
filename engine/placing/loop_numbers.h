// Stage: placing. The loops of a catalog, as src/what-if/plain-catalog.ts numbers them.
#pragma once

#include "trace/record_plan.h"

namespace dprof {

class LoopNumbers {
public:
  explicit LoopNumbers(const Plans &plans) : regions_(plans.regions), numbers_(plans.regions.isLoop.count, NO_INDEX) {
    for (size_t entry = 0; entry < numbers_.size(); entry++)
      if (regions_.isLoop[entry] && regions_.pathCount[entry] && regions_.pathCount[entry] <= PATHS_OF_ENTRY)
        numbers_[entry] = count++;
  }
  /// Of the loop that the path is of; NO_INDEX: it has none.
  uint32_t of(uint64_t path) const {
    const size_t entry = path / PATHS_OF_ENTRY;
    return numbers_[entry - regions_.back[entry]];
  }
  uint32_t count = 0;

private:
  static constexpr uint32_t PATHS_OF_ENTRY = sizeof(dprof_region);
  const Regions regions_;
  std::vector<uint32_t> numbers_; // by entry
};

} // namespace dprof
