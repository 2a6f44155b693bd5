// Stage: replay. Threads in the order of a number: the smallest first, equal ones by thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "order/thread_run.h"

namespace dprof {

struct Turn {
  uint64_t when;
  uint32_t index; // of the threads with steps, in thread order
  bool operator>(const Turn &other) const { return when != other.when ? when > other.when : index > other.index; }
};

/// A queue of turns. Mostly few threads are under way, so the next few turns are kept in order, without a heap.
class Turns {
public:
  bool empty() const { return count_ == 0; }
  const Turn &top() const { return near_[count_ - 1]; }
  [[gnu::noinline]] void push(Turn turn) {
    if (count_ == NEAR ? turn > near_[0] : !far_.empty() && turn > far_.top()) return far_.push(turn);
    if (count_ == NEAR) {
      far_.push(near_[0]);
      std::copy(near_ + 1, near_ + count_--, near_);
    }
    size_t at = count_++;
    for (; at && turn > near_[at - 1]; at--) near_[at] = near_[at - 1];
    near_[at] = turn;
  }
  [[gnu::noinline]] void pop() {
    if (--count_ || far_.empty()) return;
    for (; count_ < NEAR && !far_.empty(); far_.pop()) near_[count_++] = far_.top();
    std::reverse(near_, near_ + count_);
  }

  /// The clock from which on the first is not the first any more.
  uint64_t topEnd() const {
    if (count_ == 1 && far_.empty()) return ~uint64_t{0};
    const Turn &second = count_ > 1 ? near_[count_ - 2] : far_.top();
    return second.when + (second.index > top().index);
  }
  /// The first comes at a later time.
  [[gnu::always_inline]] void delayTop(uint64_t when) {
    const Turn turn{when, top().index};
    if (!far_.empty() && turn > near_[0]) {
      pop();
      return push(turn);
    }
    size_t at = count_ - 1;
    for (; at && turn > near_[at - 1]; at--) near_[at] = near_[at - 1];
    near_[at] = turn;
  }

private:
  static constexpr size_t NEAR = 8;
  Turn near_[NEAR]; // the smallest comes last
  size_t count_ = 0;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<Turn>> far_; // none is smaller than one of those
};

inline uint64_t passed(const std::vector<std::unique_ptr<ThreadRun>> &threads) {
  uint64_t all = 0;
  for (const auto &thread : threads) all += thread->passed();
  return all;
}

} // namespace dprof
