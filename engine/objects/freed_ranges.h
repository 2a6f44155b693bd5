// Stage: replay. A set of addresses as disjoint ranges: memory that heap objects covered on pages that were never
// touched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace dprof {

class FreedRanges { // [begin, last], both included, so that the last address has a range too
public:
  bool empty() const { return ranges_.empty(); }

  void add(uint64_t begin, uint64_t last) {
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin()) {
      auto before = std::prev(next);
      if (before->second >= begin || before->second + 1 == begin) {
        begin = before->first;
        last = std::max(last, before->second);
        next = ranges_.erase(before);
      }
    }
    while (next != ranges_.end() && (next->first <= last || next->first == last + 1)) {
      last = std::max(last, next->second);
      next = ranges_.erase(next);
    }
    ranges_.emplace(begin, last);
  }

  void remove(uint64_t begin, uint64_t last) {
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin()) --next;
    while (next != ranges_.end() && next->first <= last) {
      auto [from, to] = *next;
      if (to < begin) {
        ++next;
        continue;
      }
      next = ranges_.erase(next);
      if (from < begin) ranges_.emplace(from, begin - 1);
      if (to > last) ranges_.emplace(last + 1, to);
    }
  }

  template <typename Visit> void each(uint64_t begin, uint64_t last, Visit visit) const {
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin()) --next;
    for (; next != ranges_.end() && next->first <= last; ++next)
      if (next->second >= begin) visit(std::max(begin, next->first), std::min(last, next->second));
  }

private:
  std::map<uint64_t, uint64_t> ranges_;
};

} // namespace dprof
