// Stage: replay. Bit-PLRU: a bit for each way says that it was referenced lately; the lowest way without it leaves.
// When every way would have its bit, all but the last are cleared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dprof {

class BitPlru {
public:
  static constexpr const char *WORD = "bit-plru";
  BitPlru(uint32_t sets, uint32_t ways, uint32_t /* seed */) : ways_(ways), lately_(size_t{sets} * ways) {}
  static const char *refusal(uint32_t /* ways */) { return nullptr; }

  void touch(size_t first, size_t frame) {
    lately_[frame] = 1;
    if (findOther(first) != ways_) return;
    std::fill_n(&lately_[first], ways_, uint8_t{0});
    lately_[frame] = 1;
  }
  void fill(size_t first, size_t frame) { touch(first, frame); }
  size_t victim(size_t first) const { return first + findOther(first) % ways_; }

private:
  /// The lowest way without the bit; `ways_` if there is none, as in a set of one way.
  size_t findOther(size_t first) const {
    return static_cast<size_t>(std::find(&lately_[first], &lately_[first] + ways_, uint8_t{0}) - &lately_[first]);
  }

  uint32_t ways_;
  std::vector<uint8_t> lately_; // by frame
};

} // namespace dprof
