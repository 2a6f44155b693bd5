// Stage: replay. Who leaves a full set of a whole machine's cache. A way is named by its frame, set * ways + way, and a
// set by its first frame.
#pragma once

#include <algorithm>
#include <vector>

#include "machine/whole_machine.h"

namespace dprof {

class Replacement {
public:
  Replacement(Policy policy, uint32_t sets, uint32_t ways, uint32_t seed)
      : policy_(policy), ways_(ways), random_(seed ? seed : 1) {
    if (byTime())
      times_.resize(size_t{sets} * ways);
    else if (policy != Policy::RANDOM)
      bits_.resize(size_t{sets} * ways);
  }

  void touch(size_t first, size_t frame) {
    switch (policy_) {
      case Policy::LRU: times_[frame] = ++now_; break;
      case Policy::TREE_PLRU: // the root at 1, the children of node n at 2n and 2n + 1; a bit says which half the next
                              // victim is in
        for (size_t node = frame - first + ways_; node > 1; node >>= 1) bits_[first + (node >> 1)] = (node & 1) ^ 1;
        break;
      case Policy::BIT_PLRU:
        bits_[frame] = 1;
        if (find(first, 0) != ways_) break;
        std::fill_n(&bits_[first], ways_, uint8_t{0});
        bits_[frame] = 1;
        break;
      case Policy::SRRIP: bits_[frame] = 0; break;
      case Policy::FIFO:
      case Policy::RANDOM: break;
    }
  }

  void fill(size_t first, size_t frame) {
    if (policy_ == Policy::FIFO)
      times_[frame] = ++now_;
    else if (policy_ == Policy::SRRIP)
      bits_[frame] = 2;
    else
      touch(first, frame);
  }

  /// The frame whose line leaves the full set.
  size_t victim(size_t first) {
    switch (policy_) {
      case Policy::TREE_PLRU: {
        size_t node = 1;
        while (node < ways_) node = 2 * node + bits_[first + node];
        return first + node - ways_;
      }
      case Policy::BIT_PLRU: return first + find(first, 0) % ways_;
      case Policy::SRRIP:
        for (;;) {
          if (size_t way = find(first, 3); way < ways_) return first + way;
          for (size_t way = 0; way < ways_; way++) bits_[first + way]++;
        }
      case Policy::RANDOM:
        random_ ^= random_ << 13;
        random_ ^= random_ >> 17;
        random_ ^= random_ << 5;
        return first + random_ % ways_;
      default: return static_cast<size_t>(std::min_element(&times_[first], &times_[first] + ways_) - times_.data());
    }
  }

private:
  bool byTime() const { return policy_ == Policy::LRU || policy_ == Policy::FIFO; }
  /// The lowest way of the set with these bits; `ways_` if there is none.
  size_t find(size_t first, uint8_t bits) const {
    return static_cast<size_t>(std::find(&bits_[first], &bits_[first] + ways_, bits) - &bits_[first]);
  }

  Policy policy_;
  uint32_t ways_, random_;
  uint64_t now_ = 0;
  std::vector<uint64_t> times_;
  std::vector<uint8_t> bits_;
};

} // namespace dprof
