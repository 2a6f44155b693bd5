// Stage: replay. The caches of the only core of a plain machine. What a hit reads and writes lies by way of the L1, and
// a table tells the way of a line, so a hit needs no number of its page, line or object.
//
// The table knows only lines that are in the L1 and were referenced in the epoch at hand (reference_epochs.h). All
// other references, and the first store to a line, come to `find`.
#pragma once

#include <vector>

#include "base/page_map.h"
#include "base/zeroed_array.h"
#include "batch/line_event.h"
#include "batch/outcome.h"
#include "caches/cache_level.h"
#include "caches/cache_totals.h"
#include "caches/reference_epochs.h"
#include "trace/record_plan.h"

namespace dprof {

class LoneCore {
public:
  /// A line in the L1. The struct lies in one cache line of the host processor.
  struct alignas(32) Way {
    uint64_t tag = ~uint64_t{0}; // the line's number, and behind it a bit: it may be stored to
    uint64_t used = 0;           // a bit for each byte that was touched; line_use.h has them for lines above 64 bytes
    uint32_t granule = 0;        // page_map.h: the line's first; 0: the way is free
  };

  explicit LoneCore(const Machine &machine);

  /// Makes a reference to the line. Returns its outcome, and in `way` where the line is then. If it misses, the lines
  /// that it moves are added to `misses`.
  [[gnu::always_inline]] uint32_t reference(uint64_t line, bool store, std::vector<LineMiss> &misses, Way *&way) {
    const uint32_t known = table_[line & tableMask_];
    way = &ways_[known];
    if ((way->tag | !store) != (line << 1 | 1)) [[unlikely]] {
      const Found found = find(line, store, misses);
      way = &ways_[found.way];
      return found.bits;
    }
    stamps_[known] = ++clock_;
    return outcome::PLAIN | uint32_t{store};
  }
  /// Makes as many references from `at` on as the table knows, if their lines have up to 64 bytes; writes their granules.
  /// Returns the first other one, or the end.
  template <typename Reference> Reference *hits(Reference *at, Reference *end) {
    const uint64_t lineMask = (1u << lineShift_) - 1;
    const uint32_t mask = tableMask_;
    const unsigned shift = lineShift_;
    const uint16_t *const table = table_.data();
    Way *const ways = ways_.data();
    uint32_t *const stamps = stamps_.data(), clock = clock_;
    for (; at < end; at++) {
      const uint64_t address = at->address, line = address >> shift, first = address & lineMask;
      const uint32_t known = table[line & mask], size = at->size;
      Way &way = ways[known];
      if ((way.tag | (at->store ^ 1)) != (line << 1 | 1) || size == SIZE_BY_SLOT) [[unlikely]]
        break;
      way.used |= BYTES[size] << first;
      at->granule = way.granule | static_cast<uint32_t>(first >> PageMap::granuleShift);
      stamps[known] = ++clock;
    }
    clock_ = clock;
    return at;
  }
  static bool holds(const Way &way, uint64_t line) { return way.tag >> 1 == line; }
  /// To be called before each batch of references, of which there are fewer than 2^28.
  void beginBatch();

  uint32_t lineOf(const Way &way) const { return way.granule >> granulesShift_; }
  uint64_t addressOf(uint32_t line) const { return pages_.addressOf(line << granulesShift_); }
  /// The ways that hold a line, in the order of the lines' numbers.
  std::vector<const Way *> held() const;

  CacheTotals totals;
  std::vector<uint64_t> *newPages = nullptr; // gets each page that is touched for the first time

private:
  struct Line {
    uint32_t position; // in the epochs
    uint32_t l1;       // IN_L1 and its way there; else the stamp of its last reference
    uint32_t l2;       // 2 * (place + 1), 0 if it is not there; and whether it was modified when it last left the L1
    uint32_t llc;      // place + 1
    bool isInL1() const { return l1 & IN_L1; }
    uint32_t stampIn(const uint32_t *stamps) const { return isInL1() ? stamps[l1 & ~IN_L1] : l1; }
  };
  static constexpr uint32_t IN_L1 = 1u << 31;
  struct Found {
    uint32_t bits, way;
  };
  /// The bytes of an access, by the logarithm of its size.
  static constexpr uint64_t BYTES[] = {0x1, 0x3, 0xf, 0xff, 0xffff, 0xffffffff, ~uint64_t{0}};
  static constexpr size_t MOST_TABLE = 8192;
  static constexpr uint32_t MOST_KNOWN = 0xffff;  // ways that the table can name
  static constexpr uint32_t LAST_CLOCK = 1u << 28; // with what a batch adds, stamps fit into 29 bits

  Found find(uint64_t number, bool store, std::vector<LineMiss> &misses);
  uint32_t miss(Line &line, uint32_t id, uint64_t number, bool store, LineMiss &miss);
  uint32_t missAt(unsigned level, uint32_t position, uint64_t number);
  void fillL1(Line &line, uint32_t id, uint64_t number, LineMiss &miss);
  uint32_t idOf(uint64_t number);
  void addPage(uint64_t page);
  void endEpoch();
  void restamp();
  const Machine machine_;
  const unsigned lineShift_, granulesShift_;
  const uint32_t tableMask_;
  uint32_t clock_ = 0, lineCount_ = 0;
  std::vector<uint16_t> table_; // by the low bits of a line's number: its way
  uint16_t known_[ReferenceEpochs<Line>::MOST]; // where in the table the epoch's lines are
  uint32_t knownCount_ = 0;
  // By place (set * ways + way) + 1; way 0 holds no line.
  std::vector<Way> ways_;
  std::vector<uint32_t> stamps_; // 0: free
  ZeroedArray<Line> lines_;
  ReferenceEpochs<Line> epochs_; // windows: L1, L2, LLC
  StampedLevel l2_, llc_;
  std::vector<uint32_t> distinct_[3]; // lines ever referenced, per set
  uint64_t distinctAll_ = 0;
  PageMap pages_;
};

} // namespace dprof
