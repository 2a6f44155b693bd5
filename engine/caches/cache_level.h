// Stage: replay. The sets of one cache: which line is in which way, and how recently. Whether a line is in is known
// from the line's own state, so nothing is searched on a hit.
#pragma once

#include <algorithm>
#include <cstring>
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

using Eight [[gnu::vector_size(32)]] = uint32_t;

/// Of stamps with a number of SHIFT bits behind each, the number behind the least.
template <unsigned SHIFT> [[gnu::always_inline]] inline uint32_t numberOfLeast(const Eight &of) {
  Eight least = of;
  Eight others = __builtin_shufflevector(least, least, 4, 5, 6, 7, 0, 1, 2, 3);
  least = least < others ? least : others;
  others = __builtin_shufflevector(least, least, 2, 3, 0, 1, 6, 7, 4, 5);
  least = least < others ? least : others;
  others = __builtin_shufflevector(least, least, 1, 0, 3, 2, 5, 4, 7, 6);
  least = least < others ? least : others;
  return least[0] & ((1u << SHIFT) - 1);
}

[[gnu::always_inline]] inline uint32_t leastOf8(const uint32_t *stamps) {
  constexpr Eight WAYS = {0, 1, 2, 3, 4, 5, 6, 7};
  Eight least;
  std::memcpy(&least, stamps, sizeof least);
  return numberOfLeast<3>(least << 3 | WAYS);
}

[[gnu::always_inline]] inline uint32_t leastOf16(const uint32_t *stamps) {
  constexpr Eight WAYS = {0, 1, 2, 3, 4, 5, 6, 7}, FURTHER = {8, 9, 10, 11, 12, 13, 14, 15};
  Eight least, further;
  std::memcpy(&least, stamps, sizeof least);
  std::memcpy(&further, stamps + 8, sizeof further);
  least = least << 4 | WAYS;
  further = further << 4 | FURTHER;
  return numberOfLeast<4>(least < further ? least : further);
}

DPROF_WIDE uint32_t leastOfMany(const uint32_t *stamps, uint32_t ways);
/// The first way with the smallest stamp. For functions that are DPROF_WIDE.
[[gnu::always_inline]] inline uint32_t leastOf(const uint32_t *stamps, uint32_t ways) {
  return ways == 8 ? leastOf8(stamps) : ways == 16 ? leastOf16(stamps) : leastOfMany(stamps, ways);
}

/// Stamps that are not 0 become ranks.
void rankStamps(uint32_t *stamps, uint32_t ways);

/// True LRU by stamps: a hit writes one; the smallest is looked for only on a miss. A free way has stamp 0, so it goes
/// first. A line's place is set × ways + way; its stamp has a number of its own.
class StampedSets {
public:
  explicit StampedSets(const LevelShape &shape)
      : ways_(shape.ways), setMask_(shape.sets - 1), sets_(2 * shape.lines()) {}

  struct Filled {
    uint32_t place, stamp, victim; // victim: the line that left, 0: the way was free
  };
  void fetch(uint64_t lineNumber) const { __builtin_prefetch(&sets_[2 * base(lineNumber)], 1); }
  void renew(uint32_t stamp, uint32_t now) { sets_[stamp] = now; }
  /// Puts the line in. For functions that are DPROF_WIDE.
  [[gnu::always_inline]] Filled fill(uint64_t lineNumber, uint32_t id, uint32_t now) {
    const uint32_t first = base(lineNumber);
    uint32_t *const stamps = &sets_[2 * first], way = leastOf(stamps, ways_), victim = stamps[ways_ + way];
    stamps[way] = now;
    stamps[ways_ + way] = id;
    return {first + way, 2 * first + way, victim};
  }
  void remove(uint32_t stamp) { sets_[stamp] = sets_[stamp + ways_] = 0; }
  /// Stamps are small then, in the same order.
  void restamp() {
    for (size_t set = 0; set < sets_.size(); set += 2 * size_t{ways_}) rankStamps(&sets_[set], ways_);
  }
  uint32_t ways() const { return ways_; }

protected:
  uint32_t base(uint64_t lineNumber) const { return static_cast<uint32_t>((lineNumber & setMask_) * ways_); }

private:
  const uint32_t ways_;
  const uint64_t setMask_;
  HugeVector<uint32_t> sets_; // of each set the stamps, then the tags
};

/// The same with a clock of its own. Lines are known by their places.
class StampedLevel : StampedSets {
public:
  using StampedSets::StampedSets;

  void renew(uint64_t lineNumber, uint32_t place) { StampedSets::renew(base(lineNumber) + place, tick()); }
  /// Puts the line in; returns its place, and in `victim` the line that left (0: the way was free).
  DPROF_WIDE uint32_t fill(uint64_t lineNumber, uint32_t id, uint32_t &victim);
  void remove(uint64_t lineNumber, uint32_t place) { StampedSets::remove(base(lineNumber) + place); }

private:
  uint32_t tick() {
    if (++clock_ == STAMPS_END) [[unlikely]] {
      restamp();
      clock_ = ways() + 1;
    }
    return clock_;
  }
  uint32_t clock_ = 0;
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
