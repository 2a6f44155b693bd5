// Stage: replay. DProf's rule for the misses of a lone core: whether a set of a level has seen so many more lines than
// others that a miss in it counts as a conflict. `dprofRule` (cache_level.h) says the same from scratch.
#pragma once

#include <algorithm>
#include <vector>

#include "batch/outcome.h"
#include "machine/machine.h"

namespace dprof {

class CrowdedSets {
public:
  explicit CrowdedSets(const LevelShape &shape)
      : lines_(shape.sets), setMask_(shape.sets - 1), most_(shape.ways), ways_(shape.ways), share_(shape.sets + 1) {}

  /// A line of the level is referenced for the first time.
  void add(uint64_t line) {
    lines_[line & setMask_]++;
    // A set is crowded if lines * (sets - 1) > 2 * (all - lines): if lines > 2 * all / (sets + 1).
    rest_ += 2;
    if (rest_ < share_) return;
    rest_ -= share_;
    most_ = std::max(ways_, ++average_);
  }
  uint32_t rule(uint64_t line) const { return RULE_CAPACITY - uint32_t{lines_[line & setMask_] > most_}; }

private:
  static_assert(RULE_CONFLICT + 1 == RULE_CAPACITY);
  std::vector<uint32_t> lines_; // ever referenced, by set
  const uint64_t setMask_;
  uint32_t most_; // lines of a set that is not crowded
  const uint32_t ways_, share_;
  uint32_t average_ = 0, rest_ = 0; // 2 * all / share_
};

} // namespace dprof
