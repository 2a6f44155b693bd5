// Stage: replay. For each cache: the bytes of a line that other caches' cores stored to since this cache's own cores
// referenced it last. They tell true from false sharing. Only lines that a second L1 unit has referenced are here;
// before that no unit can have missed a store.
#pragma once

#include <memory>
#include <vector>

#include "batch/outcome.h"

namespace dprof {

class ForeignStores {
public:
  /// `unitOfL1`: by level, then by L1 unit: its unit of that level. `units`: the number of units of each level.
  ForeignStores(const std::vector<uint32_t> (&unitOfL1)[3], const uint32_t (&units)[3], uint32_t lineBytes)
      : unitOfL1_(unitOfL1), firstOf_{0, units[0], units[0] + units[1], units[0] + units[1] + units[2]},
        words_((lineBytes + 63) / 64) {}

  uint32_t create() {
    lines_.push_back(std::make_unique<uint64_t[]>(size_t{firstOf_[3]} * words_));
    return static_cast<uint32_t>(lines_.size() - 1);
  }

  /// TRUE_SHARING, FALSE_SHARING or HIT for neither.
  uint32_t classify(uint32_t line, unsigned level, uint32_t l1Unit, uint32_t first, uint32_t length) const {
    const uint64_t *mask = maskOf(line, firstOf_[level] + unitOfL1_[level][l1Unit]);
    uint32_t result = HIT;
    for (uint32_t k = 0; k < words_; k++) {
      if (mask[k] & word(k, first, length)) return TRUE_SHARING;
      if (mask[k]) result = FALSE_SHARING;
    }
    return result;
  }

  /// The unit has made its reference: its caches have seen every store so far.
  void seen(uint32_t line, uint32_t l1Unit) {
    for (unsigned level = 0; level < 3; level++)
      std::fill_n(maskOf(line, firstOf_[level] + unitOfL1_[level][l1Unit]), words_, 0);
  }

  void store(uint32_t line, uint32_t l1Unit, uint32_t first, uint32_t length) {
    for (unsigned level = 0; level < 3; level++)
      for (uint32_t consumer = firstOf_[level]; consumer < firstOf_[level + 1]; consumer++) {
        if (consumer == firstOf_[level] + unitOfL1_[level][l1Unit]) continue;
        uint64_t *mask = maskOf(line, consumer);
        for (uint32_t k = 0; k < words_; k++) mask[k] |= word(k, first, length);
      }
  }

private:
  uint64_t *maskOf(uint32_t line, uint32_t consumer) const { return &lines_[line][size_t{consumer} * words_]; }
  /// Word `index` of the mask of bytes [first, first + length).
  static uint64_t word(uint32_t index, uint32_t first, uint32_t length) {
    uint32_t from = std::max(first, index * 64), to = std::min(first + length, index * 64 + 64);
    if (from >= to) return 0;
    return (to - from == 64 ? ~uint64_t{0} : (uint64_t{1} << (to - from)) - 1) << (from & 63);
  }

  const std::vector<uint32_t> (&unitOfL1_)[3];
  const uint32_t firstOf_[4], words_;
  std::vector<std::unique_ptr<uint64_t[]>> lines_{1};
};

} // namespace dprof
