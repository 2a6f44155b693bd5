// Stage: replay. DProf's rule for the misses of a lone core: whether a set of a level has seen so many more lines than
// others that a miss in it counts as a conflict. `dprofRule` (cache_level.h) says the same from scratch.
#pragma once

#include <vector>

#include "batch/outcome.h"
#include "machine/machine.h"

namespace dprof {

class CrowdedSets {
public:
  explicit CrowdedSets(const LevelShape &shape, unsigned level)
      : lines_(shape.sets), rules_(shape.sets, RULE_CAPACITY << shiftOf(level)), setMask_(shape.sets - 1),
        most_(shape.ways), ways_(shape.ways), share_(shape.sets + 1), shift_(shiftOf(level)) {}

  /// A line of the level is referenced for the first time.
  void add(uint64_t line) {
    lines_[line & setMask_]++;
    judge(line & setMask_);
    // A set is crowded if lines * (sets - 1) > 2 * (all - lines): if lines > 2 * all / (sets + 1).
    rest_ += 2;
    if (rest_ < share_) return;
    rest_ -= share_;
    if (++average_ <= ways_) return;
    most_ = average_;
    for (size_t set = 0; set < lines_.size(); set++) judge(set);
  }
  /// As a part of an outcome.
  uint32_t rule(uint64_t line) const { return rules_[line & setMask_]; }

private:
  static_assert(RULE_CONFLICT + 1 == RULE_CAPACITY);
  static unsigned shiftOf(unsigned level) { return outcome::RULE + 2 * level; }
  void judge(size_t set) { rules_[set] = (RULE_CAPACITY - uint32_t{lines_[set] > most_}) << shift_; }

  std::vector<uint32_t> lines_; // ever referenced, by set
  std::vector<uint32_t> rules_; // by set
  const uint64_t setMask_;
  uint32_t most_; // lines of a set that is not crowded
  const uint32_t ways_, share_;
  uint32_t average_ = 0, rest_ = 0; // 2 * all / share_
  const unsigned shift_;
};

} // namespace dprof
