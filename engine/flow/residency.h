// Stage: replay. How long lines lay in units of each level, by the life for which they were brought. docs/data-flow.md,
// "Residency".
//
// A stay is its end minus its begin. So a life's sum adds the time for each line that goes, and subtracts it for each
// line that comes. For a line only its owner must be known, and the end of a life settles all its lines at once. Sums
// are exact modulo 2^128.
#pragma once

#include <algorithm>
#include <vector>

#include "base/huge_vector.h"
#include "base/no_index.h"
#include "batch/line_event.h"
#include "flow/life.h"
#include "machine/machine.h"

namespace dprof {

class Residency {
public:
  using Sum = unsigned __int128;
  struct Row {
    Sum lines[3], freed[3]; // of lives that have ended: while they went on, and from their ends on
    uint64_t freedFrames[3];
  };
  explicit Residency(const Machine &machine) : plain_(machine.whole.plain) {}

  /// Who owns the lines of the life (null: of no object).
  uint32_t ownerOf(Life *life) {
    if (!life) return NOBODY;
    if (!life->owner) life->owner = create();
    return life->owner;
  }
  /// A line came to a place for another owner than that of the line that has left it, or the place was empty. The
  /// caller keeps who owns the lines in places.
  [[gnu::always_inline]] void fill(uint32_t before, unsigned level, uint32_t owner, uint64_t now) {
    if (before != EMPTY) [[likely]]
      leave(before, level, now);
    enter(owner, level, now);
  }
  /// The same, and others, of caches that are not plain. Events of one reference in the order in which they happened,
  /// then `end`. Returns the owner of the line that is in the place then.
  uint32_t count(const LineEvent &event, uint32_t before, Life *life, uint64_t now);
  void end() {
    left_.clear();
    if (!idle_.empty()) releaseIdle();
  }
  void fetch(const Life &life) const { __builtin_prefetch(&owners_[life.owner], 1); }

  void endLife(Life &life, uint32_t reading, uint64_t now);
  void restart(uint64_t now);
  /// All lives have ended. `none`: the reading of lines that belong to no object.
  void finish(uint32_t none, uint64_t now);

  std::vector<Row> rows; // by reading

private:
  static constexpr uint32_t EMPTY = 0, NOBODY = 1; // of no object: a life that never ends
  struct alignas(64) Owner {
    Sum time[3] = {};
    uint32_t frames[3] = {};
    uint32_t reading = NO_INDEX; // of a life that has ended; NO_INDEX: it goes on
    bool isIdle() const { return (frames[0] | frames[1] | frames[2]) == 0; }
  };
  static_assert(sizeof(Owner) == 64);
  uint32_t own(uint32_t before, unsigned level, uint32_t owner, uint64_t now) {
    if (before == owner) return owner;
    if (before != EMPTY) leave(before, level, now);
    if (owner != EMPTY) enter(owner, level, now);
    return owner;
  }
  void leave(uint32_t number, unsigned level, uint64_t now) {
    Owner &owner = owners_[number];
    owner.frames[level]--;
    if (owner.reading == NO_INDEX) [[likely]]
      owner.time[level] += now;
    else
      leaveFreed(number, level, now);
  }
  void enter(uint32_t number, unsigned level, uint64_t now) {
    Owner &owner = owners_[number];
    owner.frames[level]++;
    if (owner.reading == NO_INDEX) [[likely]]
      owner.time[level] -= now;
    else
      enterFreed(owner, level, now);
  }
  [[gnu::noinline]] void leaveFreed(uint32_t number, unsigned level, uint64_t now);
  void release(uint32_t number);
  void releaseIdle();
  [[gnu::noinline]] void enterFreed(Owner &owner, unsigned level, uint64_t now);
  [[gnu::noinline]] uint32_t create();
  Row &row(uint32_t reading) {
    if (reading >= rows.size()) rows.resize(std::max<size_t>(reading + 1, rows.size() * 2));
    return rows[reading];
  }
  void settle(Owner &owner, uint32_t reading, uint64_t now);

  HugeVector<Owner> owners_ = HugeVector<Owner>(2);
  const bool plain_;  // no line that left comes in elsewhere
  uint32_t free_ = 0; // owners that have ended and own nothing any more: the next is `reading`
  struct Left {
    uint32_t line, owner;
  };
  std::vector<uint32_t> idle_; // during the reference under way: owners that may have lost their last line
  std::vector<Left> left_;     // during the reference under way: a line that comes in elsewhere keeps its owner
};

} // namespace dprof
