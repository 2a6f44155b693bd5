// Stage: replay. Entries appended and taken off the front; empty, it holds little memory: there is one for each thread
// and for each thread of each range, and nearly all are empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dprof {

template <typename Entry> class FrontQueue {
public:
  bool empty() const { return first_ == entries_.size(); }
  const Entry &front() const { return entries_[first_]; }
  auto begin() const { return entries_.begin() + static_cast<std::ptrdiff_t>(first_); }
  auto end() const { return entries_.end(); }
  void push_back(const Entry &entry) { entries_.push_back(entry); }
  void pop_front() {
    if (++first_ == entries_.size()) {
      entries_.clear();
      first_ = 0;
      if (entries_.capacity() > KEPT) [[unlikely]]
        std::vector<Entry>().swap(entries_);
    } else if (first_ >= KEPT && first_ * 2 >= entries_.size()) {
      entries_.erase(entries_.begin(), begin());
      first_ = 0;
    }
  }

private:
  static constexpr size_t KEPT = 64;
  std::vector<Entry> entries_;
  size_t first_ = 0;
};

/// Stamps in order.
using StampQueue = FrontQueue<uint64_t>;

} // namespace dprof
