// Stage: replay. SRRIP with two bits: a line comes with 2, a reference makes it 0, and the lowest way with 3 leaves. If
// there is none, all ways of the set grow until there is one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dprof {

class Srrip {
public:
  static constexpr const char *WORD = "srrip";
  Srrip(uint32_t sets, uint32_t ways, uint32_t /* seed */) : ways_(ways), distance_(size_t{sets} * ways) {}
  static const char *refusal(uint32_t /* ways */) { return nullptr; }

  void touch(size_t /* first */, size_t frame) { distance_[frame] = 0; }
  void fill(size_t /* first */, size_t frame) { distance_[frame] = 2; }
  size_t victim(size_t first) {
    for (;;) {
      if (size_t way = findFarthest(first); way < ways_) return first + way;
      for (size_t way = 0; way < ways_; way++) distance_[first + way]++;
    }
  }

private:
  /// The lowest way with 3; `ways_` if there is none.
  size_t findFarthest(size_t first) const {
    return static_cast<size_t>(std::find(&distance_[first], &distance_[first] + ways_, uint8_t{3}) - &distance_[first]);
  }

  uint32_t ways_;
  std::vector<uint8_t> distance_; // expected to the next reference, by frame
};

} // namespace dprof
