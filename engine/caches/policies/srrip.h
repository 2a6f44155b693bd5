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
    uint8_t *const begin = &distance_[first], *const end = begin + ways_;
    for (;;) {
      if (uint8_t *way = std::find(begin, end, uint8_t{3}); way != end) return first + static_cast<size_t>(way - begin);
      for (uint8_t *way = begin; way != end; way++) ++*way;
    }
  }

private:
  uint32_t ways_;
  std::vector<uint8_t> distance_; // expected to the next reference, by frame
};

} // namespace dprof
