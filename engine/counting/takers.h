// Stage: replay. Who takes whose line: every eviction and invalidation by taker, owner, level and bin of sets. The
// caches decide the events; this file only adds labels.
#pragma once

#include <algorithm>
#include <vector>

#include "base/counts.h"
#include "base/huge_vector.h"
#include "batch/line_event.h"
#include "machine/set_bins.h"
#include "objects/labels.h"
#include "trace/input.h"

namespace dprof {

class Takers {
public:
  static constexpr unsigned LABEL_BITS = Labels::BITS; // two of them, a level and a bin are one key
  struct Row {
    uint32_t taker, owner;
    uint8_t level, bin;
    uint64_t lines;
  };
  explicit Takers(const Machine &machine);

  /// `label`: of the reference that caused the event. Events of one reference must come in the order in which they
  /// happened.
  void count(const LineEvent &event, uint32_t label);
  /// The bin of the place's set.
  uint32_t binOf(unsigned level, uint32_t place) const {
    return static_cast<uint32_t>(place * levels_[level].binPerPlace >> BIN_SHIFT);
  }
  /// A line came to that place, of that bin, of a plain machine's unit, and another, if any, had to leave.
  void fill(unsigned level, uint32_t unit, uint32_t place, uint32_t bin, uint32_t victim, uint32_t label) {
    uint32_t &bringer = levels_[level].bringer(unit, place);
    fills[level]++;
    if (victim) evict(level, bin, label, bringer);
    bringer = label;
  }
  void restart() {
    evictions_ = {};
    invalidations_ = {};
    std::fill(same_.begin(), same_.end(), Same{});
    std::fill_n(fills, 3, 0);
    std::fill_n(evicted, 3, 0);
  }
  /// A reference's events have been counted.
  void end() {
    if (!plain_) left_.clear();
  }
  /// A place that will be filled soon.
  void fetch(unsigned level, uint32_t unit, uint32_t place) const {
    __builtin_prefetch(&levels_[level].bringer(unit, place), 1);
  }

  /// To be called after the last event.
  void finish() {
    for (Same &same : same_) pass(same, 0, 0);
  }

  std::vector<Row> evictions() const { return rows(evictions_); }
  std::vector<Row> invalidations() const { return rows(invalidations_); }

  uint64_t fills[3] = {}, evicted[3] = {};

private:
  static uint64_t key(unsigned level, uint32_t bin, uint32_t taker, uint32_t owner) {
    return uint64_t{level} << 62 | uint64_t{bin} << 2 * LABEL_BITS | uint64_t{taker} << LABEL_BITS | owner;
  }
  void evict(unsigned level, uint32_t bin, uint32_t taker, uint32_t owner) {
    evicted[level]++;
    uint64_t of = key(level, bin, taker, owner);
    Same &same = same_[level * SetBins::MOST + bin];
    if (same.key == of)
      same.lines++;
    else
      pass(same, of, 1);
  }
  static std::vector<Row> rows(const Counts &counts);

  struct Level {
    uint64_t binPerPlace;          // set_bins.h
    size_t places;                 // of a unit
    HugeVector<uint32_t> bringers; // by unit and place: label of the reference that brought the line
    uint32_t &bringer(uint32_t unit, uint32_t place) { return bringers[unit * places + place]; }
    const uint32_t &bringer(uint32_t unit, uint32_t place) const { return bringers[unit * places + place]; }
  };
  /// Evictions of a bin that are not in the table yet: one after the other they are mostly alike.
  struct Same {
    uint64_t key = 0, lines = 0;
  };
  [[gnu::noinline]] void pass(Same &same, uint64_t key, uint64_t lines) {
    if (same.lines) evictions_.add(same.key, same.lines);
    same = {key, lines};
  }
  struct Left {
    uint32_t line, label;
  };
  void leave(uint32_t line, uint32_t label) { left_.push_back({line, label}); }
  Level levels_[3];
  const bool plain_;       // no line that left comes in elsewhere
  std::vector<Same> same_; // by level and bin
  std::vector<Left> left_; // during the reference under way: a line that comes in elsewhere keeps its label
  Counts evictions_, invalidations_;
};

} // namespace dprof
