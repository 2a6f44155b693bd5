// Stage: replay. The lines that a lone core's next references may hit without asking its caches: lines in the L1, by
// way, and a table that tells the way of a line. A hit reads and writes nothing else.
//
// The table knows only lines that were referenced in the epoch at hand (caches/reference_epochs.h). All other
// references, and the first store to a line, go to the caches (caches/lone_core.h).
#pragma once

#include <cstdint>
#include <vector>

#include "base/page_map.h"
#include "machine/machine.h"
#include "trace/record_plan.h"

namespace dprof {

struct KnownLines {
  /// A line in the L1. The struct lies in one cache line of the host processor.
  struct alignas(32) Way {
    uint64_t tag = ~uint64_t{0}; // the line's number, and perhaps NO_STORE
    uint64_t used = 0;           // a bit for each byte that was touched; line_use.h has them for lines above 64 bytes
    uint32_t granule = 0;        // page_map.h: the line's first; 0: the way is free
    bool holds(uint64_t line) const { return (tag & ~NO_STORE) == line; }
    bool maySkipStore() const { return !(tag & NO_STORE); }
  };
  static constexpr uint32_t TABLE = 8192;
  static constexpr uint32_t MOST_WAY = 0xffff; // that the table can name

  explicit KnownLines(const Machine &machine)
      : lineShift(machine.lineShift), table(TABLE), ways(machine.level[0].lines() + 1),
        stamps(machine.level[0].lines() + 1) {}

  static uint32_t hashOf(uint64_t line) { return static_cast<uint32_t>(line) % TABLE; }
  void learn(uint32_t hash, uint32_t way) { table[hash] = static_cast<uint16_t>(way <= MOST_WAY ? way : 0); }

  const unsigned lineShift;
  std::vector<uint16_t> table; // by the low bits of a line's number: its way
  // By place (set * ways + way) + 1; way 0 holds no line.
  std::vector<Way> ways;
  std::vector<uint32_t> stamps; // of the last reference; 0: free
  uint32_t clock = 0;
  uint32_t epoch = 0; // changes where lines are not known any more

  /// Where the line is; 0 if it is not known.
  uint32_t wayOf(uint64_t line) const {
    const uint32_t way = table[hashOf(line)];
    return ways[way].holds(line) ? way : 0;
  }
};

/// The same for a loop, if lines have 64 bytes: its members lie in registers.
class KnownHits {
public:
  static constexpr unsigned LINE_SHIFT = 6;
  static constexpr uint32_t LINE_MASK = (1u << LINE_SHIFT) - 1;

  explicit KnownHits(KnownLines &known)
      : known_(known), table_(known.table.data()), ways_(known.ways.data()), stamps_(known.stamps.data()),
        clock_(known.clock) {}
  /// Before and after others refer to lines.
  void store() { known_.clock = clock_; }
  void load() { clock_ = known_.clock; }

  /// References the bytes (a bit each) from the address on, up to the one `reach` bytes behind it, if they lie in a
  /// line that is known; at least one of the references is a store if `tagBits` says so, else none. Null if nothing was
  /// done.
  [[gnu::always_inline]] const KnownLines::Way *hit(uint64_t address, uint32_t reach, uint64_t bytes,
                                                    uint64_t tagBits) {
    const uint64_t line = address >> LINE_SHIFT;
    const uint32_t way = table_[KnownLines::hashOf(line)];
    KnownLines::Way &of = ways_[way];
    if (((of.tag ^ line) & tagBits) != 0 || isOdd(address, reach)) [[unlikely]]
      return nullptr;
    of.used |= bytes << (address & LINE_MASK);
    stamps_[way] = ++clock_;
    return &of;
  }
  /// Whether the way holds the line; `tagBits` says whether it may be stored to.
  [[gnu::always_inline]] bool isIn(uint32_t way, uint64_t line, uint64_t tagBits) const {
    return ((ways_[way].tag ^ line) & tagBits) == 0;
  }
  /// References the bytes of the line that is there.
  [[gnu::always_inline]] void touch(uint32_t way, uint64_t bytes) {
    ways_[way].used |= bytes;
    stamps_[way] = ++clock_;
  }
  static bool isOdd(uint64_t address, uint32_t reach) {
    return (static_cast<uint32_t>(address) & LINE_MASK) + reach > LINE_MASK;
  }
  static uint32_t granule(uint32_t line, uint64_t address) {
    return line | (static_cast<uint32_t>(address) & LINE_MASK) >> PageMap::granuleShift;
  }

private:
  KnownLines &known_;
  const uint16_t *const table_;
  KnownLines::Way *const ways_;
  uint32_t *const stamps_;
  uint32_t clock_;
};

} // namespace dprof
