// Stage: replay. Fills of each level by the label of the reference that made them, and by bin of the level's sets.
// docs/data-flow.md, "Sets".
#pragma once

#include <algorithm>
#include <vector>

#include "base/counts.h"
#include "machine/set_bins.h"

namespace dprof {

class MissBins {
public:
  struct Row {
    uint32_t label;
    uint8_t level, bin;
    uint64_t misses;
  };
  MissBins() : same_(3 * SetBins::MOST) {}

  void add(unsigned level, uint32_t bin, uint32_t label) {
    Same &same = same_[level * SetBins::MOST + bin];
    if (same.label != label) [[unlikely]]
      pass(level, bin, same, label);
    same.misses++;
  }
  void restart() {
    counts_ = {};
    std::fill(same_.begin(), same_.end(), Same{});
  }
  /// To be called after the last miss.
  std::vector<Row> rows() {
    for (unsigned level = 0; level < 3; level++)
      for (uint32_t bin = 0; bin < SetBins::MOST; bin++) pass(level, bin, same_[level * SetBins::MOST + bin], 0);
    std::vector<Row> rows;
    counts_.each([&](uint64_t key, uint64_t misses) {
      rows.push_back(
          {static_cast<uint32_t>(key >> 10), static_cast<uint8_t>(key >> 8 & 3), static_cast<uint8_t>(key), misses});
    });
    return rows;
  }

private:
  /// Misses of a bin that are not in the table yet: consecutive misses mostly have the same label.
  struct Same {
    uint32_t label = 0;
    uint64_t misses = 0;
  };
  [[gnu::noinline]] void pass(unsigned level, uint32_t bin, Same &same, uint32_t label) {
    if (same.misses) counts_.add(uint64_t{same.label} << 10 | level << 8 | bin, same.misses);
    same = {label, 0};
  }

  std::vector<Same> same_; // by level and bin
  Counts counts_;
};

} // namespace dprof
