// Stage: sampler. Items that come nearly in order of time -> the same items in order, piece by piece.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <vector>

namespace dprof {

// `Earlier`: a strict order of Items, whose first criterion is `time_ns`.
template <typename Item, typename Earlier> class TimeOrdered {
public:
  // The list to append to; new items are out of order until `arrange`.
  std::vector<Item> &items() { return items_; }
  size_t size() const { return items_.size() - begin_; }

  void arrange() {
    const auto first = items_.begin() + (ptrdiff_t)begin_, fresh = items_.begin() + (ptrdiff_t)ordered_;
    if (!std::is_sorted(fresh, items_.end(), Earlier())) std::sort(fresh, items_.end(), Earlier());
    if (fresh != first && fresh != items_.end() && Earlier()(*fresh, fresh[-1])) {
      // Only items that are later than the first new one have to move.
      std::sort(std::upper_bound(first, fresh, *fresh, Earlier()), items_.end(), Earlier());
    }
    ordered_ = items_.size();
  }

  // The next arranged item, in order; null: there is none.
  const Item *next() const { return begin_ < ordered_ ? &items_[begin_] : nullptr; }
  void take() { begin_++; }
  // To be called after a run of `take`.
  void give_back_room() {
    if (begin_ * 2 < items_.size()) return;
    items_.erase(items_.begin(), items_.begin() + (ptrdiff_t)begin_);
    ordered_ -= begin_;
    begin_ = 0;
  }

private:
  std::vector<Item> items_;
  size_t begin_ = 0, ordered_ = 0;
};

} // namespace dprof
