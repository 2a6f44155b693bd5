// Stage: replay. How often each outcome was met of a stream of a loop: few differ, and mostly the next is the last one
// again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dprof {

class OutcomeSums {
public:
  void clear() {
    sums_.clear();
    last_ = total_ = 0;
  }
  [[gnu::always_inline]] void add(uint32_t bits) {
    if (last_ == sums_.size() || sums_[last_].bits != bits) [[unlikely]]
      find(bits);
    sums_[last_].times++;
    total_++;
  }
  uint64_t total() const { return total_; }
  template <typename Count> void each(Count count) const {
    for (const Sum &sum : sums_) count(sum.bits, sum.times);
  }

private:
  struct Sum {
    uint32_t bits;
    uint64_t times;
  };
  [[gnu::noinline]] void find(uint32_t bits) {
    for (last_ = 0; last_ < sums_.size(); last_++)
      if (sums_[last_].bits == bits) return;
    sums_.push_back({bits, 0});
  }
  std::vector<Sum> sums_;
  size_t last_ = 0;
  uint64_t total_ = 0;
};

} // namespace dprof
