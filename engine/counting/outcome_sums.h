// Stage: replay. How often each outcome was met of a stream of a loop: few differ.
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
    total_ = 0;
  }
  void add(uint32_t bits, uint64_t times) {
    if (times == 0) return;
    total_ += times;
    for (Sum &sum : sums_)
      if (sum.bits == bits) {
        sum.times += times;
        return;
      }
    sums_.push_back({bits, times});
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
  std::vector<Sum> sums_;
  uint64_t total_ = 0;
};

} // namespace dprof
