// Stage: replay. The sets of one cache: which line is in which way, and how recently. Whether a line is in is known
// from the line's own state, so nothing is searched on a hit.
#pragma once

#include <algorithm>
#include <vector>

#include "base/huge_vector.h"
#include "base/no_index.h"
#include "batch/outcome.h"
#include "machine/machine.h"

namespace dprof {

#if defined(__x86_64__)
#define DPROF_WIDE [[gnu::target_clones("avx2", "default")]] // compiled for wide registers too; the processor decides
#else
#define DPROF_WIDE
#endif

/// DProf's rule for a line that no other core took; `lines`: those ever referenced of its set, `all`: of the level.
inline uint32_t dprofRule(const LevelShape &shape, uint64_t lines, uint64_t all) {
  const bool crowded = lines > shape.ways && lines * (shape.sets - 1) > 2 * (all - lines);
  return crowded ? RULE_CONFLICT : RULE_CAPACITY;
}

constexpr uint32_t STAMPS_END = 1u << 28; // stamps of lines are below

DPROF_WIDE uint32_t leastOf8(const uint32_t *stamps);
DPROF_WIDE uint32_t leastOf16(const uint32_t *stamps);
DPROF_WIDE uint32_t leastOfMany(const uint32_t *stamps, uint32_t ways);
/// The first way with the smallest stamp.
inline uint32_t leastOf(const uint32_t *stamps, uint32_t ways) {
  return ways == 8 ? leastOf8(stamps) : ways == 16 ? leastOf16(stamps) : leastOfMany(stamps, ways);
}

/// True LRU by stamps: a hit writes one; the smallest is looked for only on a miss. A free way has stamp 0, so it goes
/// first. A line's place is set × ways + way.
class StampedLevel {
public:
  explicit StampedLevel(const LevelShape &shape)
      : ways_(shape.ways), setMask_(shape.sets - 1), sets_(2 * shape.lines()) {}

  void fetch(uint64_t lineNumber) const { __builtin_prefetch(&sets_[2 * base(lineNumber)], 1); }
  void renew(uint64_t lineNumber, uint32_t place) { sets_[base(lineNumber) + place] = tick(); }

  /// Puts the line in; returns its place, and in `victim` the line that left (0: the way was free).
  uint32_t fill(uint64_t lineNumber, uint32_t id, uint32_t &victim) {
    const size_t first = base(lineNumber);
    uint32_t *const stamps = &sets_[2 * first], *const tags = stamps + ways_, way = leastOf(stamps, ways_);
    victim = tags[way];
    tags[way] = id;
    stamps[way] = tick();
    return static_cast<uint32_t>(first) + way;
  }

  void remove(uint64_t lineNumber, uint32_t place) {
    size_t at = base(lineNumber) + place;
    sets_[at] = sets_[at + ways_] = 0;
  }

private:
  size_t base(uint64_t lineNumber) const { return (lineNumber & setMask_) * ways_; }
  uint32_t tick() {
    if (++clock_ == STAMPS_END) [[unlikely]]
      restamp();
    return clock_;
  }
  /// Before they come to their end, the stamps of each set become ranks.
  [[gnu::noinline]] void restamp() {
    for (size_t set = 0; set < sets_.size(); set += 2 * size_t{ways_}) {
      std::vector<uint32_t> ranks(ways_);
      for (uint32_t i = 0; i < ways_; i++)
        for (uint32_t k = 0; sets_[set + i] && k < ways_; k++)
          ranks[i] += sets_[set + k] && sets_[set + k] <= sets_[set + i];
      for (uint32_t i = 0; i < ways_; i++) sets_[set + i] = ranks[i];
    }
    clock_ = ways_ + 1;
  }
  uint32_t ways_, clock_ = 0;
  uint64_t setMask_;
  HugeVector<uint32_t> sets_; // of each set the stamps, then the tags
};

/// A core's L1 sees every reference of the core, so a line's position in the core's reference log is its recency.
class LoggedLevel {
public:
  explicit LoggedLevel(const LevelShape &shape) : ways_(shape.ways), setMask_(shape.sets - 1), tags_(shape.lines()) {}

  /// Returns the place: set × ways + way.
  template <typename Line> uint32_t fill(uint64_t lineNumber, uint32_t id, const Line *lines, uint32_t &victim) {
    size_t set = (lineNumber & setMask_) * ways_;
    uint32_t *tags = &tags_[set];
    uint32_t way = ways_ == 8 ? oldestOf(tags, 8, lines) : oldestOf(tags, ways_, lines); // a known number is unrolled
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
  template <typename Line>
  [[gnu::always_inline]] static uint32_t oldestOf(const uint32_t *tags, uint32_t ways, const Line *lines) {
    uint64_t oldest = ~uint64_t{0}; // its position, and behind it its way
    for (uint32_t i = 0; i < ways; i++)
      oldest = std::min(oldest, uint64_t{lines[tags[i]].position} << 32 | i); // line 0, a free way: position 0
    return static_cast<uint32_t>(oldest);
  }

  uint32_t ways_;
  uint64_t setMask_;
  std::vector<uint32_t> tags_;
};

} // namespace dprof
