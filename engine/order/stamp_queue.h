// Stage: replay. Stamps in order, appended and taken off the front; empty, it holds no memory to speak of: there is one
// for each thread and for each thread of each lock, and nearly all are empty.
#pragma once

#include <cstdint>
#include <vector>

namespace dprof {

class StampQueue {
public:
  bool empty() const { return first_ == stamps_.size(); }
  uint64_t front() const { return stamps_[first_]; }
  auto begin() const { return stamps_.begin() + static_cast<std::ptrdiff_t>(first_); }
  auto end() const { return stamps_.end(); }
  void push_back(uint64_t stamp) { stamps_.push_back(stamp); }
  void pop_front() {
    if (++first_ < KEPT && first_ < stamps_.size()) return;
    if (first_ * 2 < stamps_.size()) return;
    stamps_.erase(stamps_.begin(), begin());
    first_ = 0;
    if (stamps_.empty() && stamps_.capacity() > KEPT) std::vector<uint64_t>().swap(stamps_);
  }

private:
  static constexpr size_t KEPT = 16;
  std::vector<uint64_t> stamps_;
  size_t first_ = 0;
};

} // namespace dprof
