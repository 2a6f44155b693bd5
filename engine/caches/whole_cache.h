// Stage: replay. One cache of a whole machine: any number of sets, any replacement, and which of its prefetched lines
// nobody has used yet. A line's own masks say who holds it, so no cache is searched for a line that it does not have.
#pragma once

#include <algorithm>
#include <numeric>

#include "caches/replacement.h"
#include "machine/machine.h"

namespace dprof {

struct WholeLine {
  uint64_t holders[3];   // by level: the units that hold it
  uint64_t referencedBy; // L1 units
  uint64_t storedBy;
  uint32_t foreign;              // masks in ForeignStores, once a second L1 unit referenced it; 0: none
  uint8_t modifiedBy, forwarder; // domain + 1
};

/// Told of every line that comes and goes, if somebody wants to know which line pushed out which. Lines are
/// WholeHierarchy's ids; `frame`: set * ways + way.
class CacheSink {
public:
  virtual ~CacheSink() = default;
  /// `victim`: the line that had to leave for it; 0: none.
  virtual void filled(unsigned level, uint32_t unit, uint32_t line, size_t frame, uint32_t victim) = 0;
  enum Why {
    INVALIDATED,
    EVICTED,
    MOVED
  }; // by a store of others; with the line of an inclusive level; up, out of an exclusive one
  /// `times`: how many cores lost it so.
  virtual void removed(unsigned level, uint32_t unit, uint32_t line, size_t frame, Why why, uint32_t times) = 0;
};

class WholeCache {
public:
  WholeCache(const Machine &m, unsigned level, uint32_t unit)
      : level(level), unit(unit), sets(m.level[level].sets), ways(m.level[level].ways), lines_(m.level[level].lines()),
        unused_(m.level[level].lines()),
        replacement_(m.whole.level[level].policy, sets, ways, mix(m.whole.seed, level * 65536 + unit)) {}

  uint64_t setOf(uint64_t place) const { return place % sets; }
  bool holds(const WholeLine &line) const { return line.holders[level] >> unit & 1; }

  /// Looks a line up that it holds, for a reference; whether that is the first to a prefetched line.
  bool reference(uint32_t id, uint64_t place) {
    size_t frame = touch(id, place);
    bool prefetched = unused_[frame];
    unused_[frame] = 0;
    useful += prefetched;
    return prefetched;
  }

  /// The same for a prefetch into a level above.
  size_t touch(uint32_t id, uint64_t place) {
    size_t first = setOf(place) * ways, frame = find(first, id);
    replacement_.with([&](auto &policy) { policy.touch(first, frame); });
    return frame;
  }

  /// Puts in a line that it does not hold; returns the one that had to leave, or 0.
  uint32_t fill(WholeLine *lines, uint32_t id, uint64_t place, CacheSink *sink, bool prefetch = false) {
    size_t first = setOf(place) * ways, frame = find(first, 0);
    const bool isFull = frame == first + ways;
    replacement_.with([&](auto &policy) {
      if (isFull) frame = policy.victim(first);
      policy.fill(first, frame);
    });
    uint32_t victim = lines_[frame];
    if (victim) lines[victim].holders[level] &= ~(uint64_t{1} << unit);
    lines[id].holders[level] |= uint64_t{1} << unit;
    leave(frame);
    lines_[frame] = id;
    unused_[frame] = prefetch;
    issued += prefetch;
    if (sink) sink->filled(level, unit, id, frame, victim);
    return victim;
  }

  /// Whether it held the line.
  bool remove(WholeLine *lines, uint32_t id, uint64_t place, CacheSink *sink, CacheSink::Why why, uint32_t times = 1) {
    if (!holds(lines[id])) return false;
    size_t frame = find(setOf(place) * ways, id);
    lines[id].holders[level] &= ~(uint64_t{1} << unit);
    leave(frame);
    lines_[frame] = 0;
    if (sink) sink->removed(level, unit, id, frame, why, times);
    return true;
  }

  void restartTotals() { issued = useful = useless_ = 0; }
  uint64_t countUseless() const { return std::accumulate(unused_.begin(), unused_.end(), useless_); }

  const unsigned level;
  const uint32_t unit, sets, ways;
  uint64_t issued = 0, useful = 0;

private:
  size_t find(size_t first, uint32_t id) const {
    return static_cast<size_t>(std::find(&lines_[first], &lines_[first] + ways, id) - lines_.data());
  }
  void leave(size_t frame) {
    useless_ += unused_[frame];
    unused_[frame] = 0;
  }

  uint64_t useless_ = 0;
  std::vector<uint32_t> lines_;
  std::vector<uint8_t> unused_;
  Replacement replacement_;
};

} // namespace dprof
