// Stage: replay. The set of threads that can go on. One of them is drawn by its place in the set.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace dprof {

class AbleThreads {
public:
  explicit AbleThreads(uint32_t threads) : words_((threads + 63) / 64) {
    for (uint32_t i = 0; i < threads; i++) add(i);
  }
  uint32_t size() const { return size_; }
  void add(uint32_t index) {
    words_[index / 64] |= bit(index);
    size_++;
  }
  void remove(uint32_t index) {
    words_[index / 64] &= ~bit(index);
    size_--;
  }
  /// The thread before which `place` others are in the set.
  uint32_t at(uint32_t place) const {
    size_t word = 0;
    for (uint32_t count; place >= (count = static_cast<uint32_t>(std::popcount(words_[word]))); word++) place -= count;
    uint64_t left = words_[word];
    for (; place; place--) left &= left - 1;
    return static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(left));
  }
  template <typename Visit> void each(Visit visit) const {
    for (size_t word = 0; word < words_.size(); word++)
      for (uint64_t left = words_[word]; left; left &= left - 1)
        visit(static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(left)));
  }

private:
  static uint64_t bit(uint32_t index) { return uint64_t{1} << index % 64; }
  std::vector<uint64_t> words_;
  uint32_t size_ = 0;
};

} // namespace dprof
