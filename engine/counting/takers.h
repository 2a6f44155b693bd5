// Stage: replay. Who takes whose place: every line that comes, and every eviction and invalidation, by taker, owner,
// level and bin of sets. The caches decide the events; this file only adds labels.
#pragma once

#include <algorithm>
#include <vector>

#include "base/counts.h"
#include "batch/line_event.h"
#include "counting/bringers.h"
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
  struct Totals {
    uint64_t fills[3] = {}, evictions[3] = {};
  };
  explicit Takers(const Machine &machine);

  /// `label`: of the reference that caused the event. Events of one reference must come in the order in which they
  /// happened.
  void count(const LineEvent &event, Bringer &bringer, uint32_t label);
  /// A line came to that place of a plain machine, and another, if any, had to leave.
  [[gnu::always_inline]] void fill(unsigned level, uint32_t place, Bringer &bringer, uint32_t victim, uint32_t label) {
    if (level > Bringers::LAST_SAME) {
      fill(level, place, label, victim ? bringer.label() : Labels::NONE);
      bringer.bring(label);
    } else if (!victim || !bringer.bringsSame(label)) [[unlikely]] {
      fillOther(level, place, bringer, victim, label);
    }
  }
  void restart(Bringers &bringers) {
    fills_ = {};
    evictions_ = {};
    invalidations_ = {};
    std::fill(lately_.begin(), lately_.end(), Lines{});
    bringers.eachSame([](unsigned, uint32_t, Bringer &bringer) { bringer.takeSame(); });
  }
  /// A reference's events have been counted.
  void end() {
    if (!plain_) left_.clear();
  }

  /// To be called after the last event.
  void finish(Bringers &bringers) {
    for (Lines &lines : lately_) pass(lines, 0);
    bringers.eachSame([&](unsigned level, uint32_t place, Bringer &bringer) { passSame(level, place, bringer); });
  }

  std::vector<Row> evictions() const;
  std::vector<Row> invalidations() const { return rows(invalidations_); }
  /// Lines that came, whoever had to leave: of such rows the owner says nothing.
  std::vector<Row> fills() const;
  Totals totals() const;

private:
  static uint64_t key(unsigned level, uint32_t bin, uint32_t taker, uint32_t owner) {
    return uint64_t{level} << 62 | uint64_t{bin} << 2 * LABEL_BITS | uint64_t{taker} << LABEL_BITS | owner;
  }
  static uint32_t ownerOf(uint64_t key) { return key & Labels::NONE; }
  /// The bin of the place's set.
  uint32_t binOf(unsigned level, uint32_t place) const {
    return static_cast<uint32_t>(place * binPerPlace_[level] >> BIN_SHIFT);
  }
  void fill(unsigned level, uint32_t place, uint32_t taker, uint32_t owner) {
    const uint32_t bin = binOf(level, place);
    const uint64_t of = key(level, bin, taker, owner);
    Lines &lines = lately_[level * SetBins::MOST + bin + ((taker * 5 + owner) % PAIRS) * 3 * SetBins::MOST];
    if (lines.key != of) [[unlikely]]
      pass(lines, of);
    lines.count++;
  }
  [[gnu::noinline]] void fillOther(unsigned level, uint32_t place, Bringer &bringer, uint32_t victim, uint32_t label);
  void passSame(unsigned level, uint32_t place, Bringer &bringer) {
    if (const uint32_t same = bringer.takeSame()) addSame(level, place, bringer.label(), same);
  }
  void addSame(unsigned level, uint32_t place, uint32_t label, uint32_t lines) {
    fills_.add(key(level, binOf(level, place), label, label), lines);
  }
  static std::vector<Row> rows(const Counts &counts);

  /// Lines of one key that are not in the table yet.
  struct Lines {
    uint64_t key = 0, count = 0;
  };
  [[gnu::noinline]] void pass(Lines &lines, uint64_t key) {
    if (lines.count) fills_.add(lines.key, lines.count);
    lines = {key, 0};
  }
  struct Left {
    uint32_t line, label;
  };
  static constexpr size_t PAIRS = 16; // of labels, which are mostly few in a bin
  uint64_t binPerPlace_[3];           // set_bins.h
  const bool plain_;                  // no line that left comes in elsewhere
  std::vector<Lines> lately_;         // by pair of labels, level and bin
  std::vector<Left> left_;            // during the reference under way: a line that comes in elsewhere keeps its label
  Counts fills_, evictions_, invalidations_; // lines that came, their owner being that of the line that had to leave,
                                             // or nobody; lines that left otherwise
};

} // namespace dprof
