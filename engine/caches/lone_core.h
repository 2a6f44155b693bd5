// Stage: replay. The caches of the only core of a plain machine. What a hit needs lies by way of the L1
// (layout/known_lines.h); a page gets its number when one of its lines misses for the first time.
#pragma once

#include <vector>

#include "base/page_map.h"
#include "base/zeroed_array.h"
#include "batch/line_event.h"
#include "batch/outcome.h"
#include "caches/cache_level.h"
#include "caches/cache_totals.h"
#include "caches/crowded_sets.h"
#include "caches/reference_epochs.h"
#include "layout/known_lines.h"

namespace dprof {

class LoneCore {
public:
  using Way = KnownLines::Way;
  /// What it knows of the L1 lies in `known`.
  LoneCore(const Machine &machine, KnownLines &known);

  struct Found {
    uint32_t bits, way;
  };
  /// Makes a reference that is no hit of a known line. If it misses, the lines that it moves are added to `misses`.
  [[gnu::noinline]] Found find(uint64_t number, bool store, std::vector<LineMiss> &misses);
  /// Makes a reference to the line. Returns its outcome, and in `way` where the line is then. If it misses, the lines
  /// that it moves are added to `misses`.
  [[gnu::always_inline]] uint32_t reference(uint64_t line, bool store, std::vector<LineMiss> &misses, Way *&way) {
    const uint32_t place = table_[known_.hashOf(line)];
    way = &ways_[place];
    if (((way->tag ^ line) & tagBits(store)) != 0) [[unlikely]] {
      const Found found = find(line, store, misses);
      way = &ways_[found.way];
      return found.bits;
    }
    stamps_[place] = ++known_.clock;
    return outcome::PLAIN | uint32_t{store};
  }
  /// Prefetches what a miss of the line needs, if its page was asked for lately.
  void fetch(uint64_t line) const {
    const uint32_t frame = pages_.findNear(line >> pages_.linesShift);
    if (!frame) return;
    __builtin_prefetch(&lines_[frame << pages_.linesShift | (line & ((1u << pages_.linesShift) - 1))], 1);
    llc_.fetch(line);
  }
  /// To be called before each batch of references, of which there are fewer than 2^27.
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
  };
  static constexpr uint32_t IN_L1 = 1u << 31;
  static constexpr uint32_t LAST_CLOCK = STAMPS_END / 2; // a batch adds less than as much

  uint32_t miss(Line &line, uint32_t id, uint64_t number, bool store, std::vector<LineMiss> &misses);
  uint32_t missAt(unsigned level, uint32_t position, uint64_t number);
  void fillL1(Line &line, uint32_t id, uint64_t number, LineMiss &miss);
  [[gnu::always_inline]] uint32_t idOf(uint64_t number) {
    const unsigned linesShift = pages_.linesShift;
    const uint32_t frame = pages_.frameOf(number >> linesShift, [&](uint64_t page) { return addPage(page); });
    return frame << linesShift | static_cast<uint32_t>(number & ((1u << linesShift) - 1));
  }
  uint32_t addPage(uint64_t page);
  void endEpoch();
  void restamp();

  const unsigned granulesShift_;
  const uint32_t sets_, eachWays_; // of the L1
  KnownLines &known_;
  uint16_t *const table_; // its arrays
  Way *const ways_;
  uint32_t *const stamps_;
  uint32_t lineCount_ = 0;
  ZeroedArray<Line> lines_;
  ReferenceEpochs<Line> epochs_; // windows: L1, L2, LLC
  StampedLevel l2_, llc_;
  CrowdedSets crowded_[3];
  PageMap pages_;
};

} // namespace dprof
