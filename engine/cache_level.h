// Stage: replay. The sets of one cache: which line is in which way, and how recently. Whether a line is in is known from the
// line's own state, so nothing is searched on a hit.
#pragma once

#include <vector>

#include "input.h"

namespace dprof {

/// True LRU by stamps: a hit writes one; the smallest is looked for only on a miss. A free way has stamp 0, so it goes first.
class StampedLevel {
public:
  explicit StampedLevel(const LevelShape &shape)
      : ways_(shape.ways), setMask_(shape.sets - 1), tags_(shape.lines()), stamps_(shape.lines()) {}

  void renew(uint64_t lineNumber, uint32_t way) { stamps_[base(lineNumber) + way] = tick(); }

  /// Puts the line in; returns the way, and in `victim` the line that left (0: the way was free).
  uint32_t fill(uint64_t lineNumber, uint32_t id, uint32_t &victim) {
    size_t set = base(lineNumber);
    const uint32_t *stamps = &stamps_[set];
    uint32_t way = 0, least = stamps[0];
    for (uint32_t i = 1; i < ways_; i++) {
      way = stamps[i] < least ? i : way;
      least = stamps[i] < least ? stamps[i] : least;
    }
    victim = tags_[set + way];
    tags_[set + way] = id;
    stamps_[set + way] = tick();
    return way;
  }

  /// Of a way of the line's set: set × ways + way.
  uint32_t place(uint64_t lineNumber, uint32_t way) const { return static_cast<uint32_t>(base(lineNumber) + way); }

  void remove(uint64_t lineNumber, uint32_t way) {
    size_t at = base(lineNumber) + way;
    tags_[at] = stamps_[at] = 0;
  }

private:
  size_t base(uint64_t lineNumber) const { return (lineNumber & setMask_) * ways_; }
  uint32_t tick() {
    if (++clock_ == 0) restamp();
    return clock_;
  }
  /// Stamps are 32 bits: before they wrap, each set's become ranks.
  void restamp() {
    for (size_t set = 0; set < stamps_.size(); set += ways_) {
      std::vector<uint32_t> ranks(ways_);
      for (uint32_t i = 0; i < ways_; i++)
        for (uint32_t k = 0; stamps_[set + i] && k < ways_; k++) ranks[i] += stamps_[set + k] && stamps_[set + k] <= stamps_[set + i];
      for (uint32_t i = 0; i < ways_; i++) stamps_[set + i] = ranks[i];
    }
    clock_ = ways_ + 1;
  }
  uint32_t ways_, clock_ = 0;
  uint64_t setMask_;
  std::vector<uint32_t> tags_, stamps_;
};

/// A core's L1 sees every reference of the core, so a line's position in the core's reference log is its recency.
class LoggedLevel {
public:
  explicit LoggedLevel(const LevelShape &shape) : ways_(shape.ways), setMask_(shape.sets - 1), tags_(shape.lines()) {}

  /// Returns the place: set × ways + way.
  template <typename Line> uint32_t fill(uint64_t lineNumber, uint32_t id, const Line *lines, uint32_t &victim) {
    size_t set = (lineNumber & setMask_) * ways_;
    uint32_t *tags = &tags_[set];
    uint32_t way = 0, least = NO_INDEX;
    for (uint32_t i = 0; i < ways_; i++) {
      uint32_t position = lines[tags[i]].position; // line 0, a free way: position 0
      way = position < least ? i : way;
      least = position < least ? position : least;
    }
    victim = tags[way];
    tags[way] = id;
    return static_cast<uint32_t>(set + way);
  }

  /// Returns the place where it was.
  uint32_t remove(uint64_t lineNumber, uint32_t id) {
    size_t at = (lineNumber & setMask_) * ways_;
    while (tags_[at] != id) at++;
    tags_[at] = 0;
    return static_cast<uint32_t>(at);
  }

private:
  uint32_t ways_;
  uint64_t setMask_;
  std::vector<uint32_t> tags_;
};

} // namespace dprof
