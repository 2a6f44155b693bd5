// Stage: replay. The caches of the only core of a plain machine. What a hit needs lies by way of the L1
// (layout/known_lines.h); a page gets its number when one of its lines misses for the first time.
#pragma once

#include <vector>

#include "base/appended.h"
#include "base/page_map.h"
#include "base/zeroed_array.h"
#include "batch/cache_totals.h"
#include "batch/line_event.h"
#include "batch/outcome.h"
#include "caches/cache_level.h"
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
    Way *way; // where the line is then
    uint64_t bits;
  };
  /// Makes a reference that is no hit of a known line. If it misses, the lines that it moves are added to `misses`.
  Found find(uint64_t number, bool store, Appended<LineMiss> &misses) {
    return isUsual ? findUsual(number, store, misses) : findOther(number, store, misses);
  }
  /// The same, to be a part of others. `Usual`: the caches are usual.
  template <bool Usual> Found findHere(uint64_t number, bool store, Appended<LineMiss> &misses);
  /// Makes a reference to the line. Returns its outcome, and in `way` where the line is then. If it misses, the lines
  /// that it moves are added to `misses`.
  [[gnu::always_inline]] uint32_t reference(uint64_t line, bool store, Appended<LineMiss> &misses, Way *&way) {
    way = hit(line, tagBits(store));
    if (way) [[likely]]
      return outcome::PLAIN | uint32_t{store};
    const Found found = find(line, store, misses);
    way = found.way;
    return static_cast<uint32_t>(found.bits);
  }
  /// Makes a reference if it is a hit of a known line; else null.
  [[gnu::always_inline]] Way *hit(uint64_t line, uint64_t tagBits) {
    const uint32_t place = table_[known_.hashOf(line)];
    Way &way = ways_[place];
    if (((way.tag ^ line) & tagBits) != 0) return nullptr;
    stamps_[place] = ++known_.clock;
    return &way;
  }
  /// Prefetches what a miss of the line, which has 64 bytes, needs: if it is not known, and its page was asked for
  /// lately.
  [[gnu::always_inline]] void fetch(uint64_t line) const {
    if (((ways_[table_[known_.hashOf(line)]].tag ^ line) & ~NO_STORE) == 0) return;
    const uint32_t frame = pages_.findNear(line >> USUAL_LINES_SHIFT);
    if (!frame) return;
    __builtin_prefetch(&lines_[frame << USUAL_LINES_SHIFT | (line & ((1u << USUAL_LINES_SHIFT) - 1))], 1);
    llc_.fetch(line);
  }
  /// To be called before each batch of references, of which there are fewer than 2^27.
  void beginBatch();

  uint32_t lineOf(const Way &way) const { return way.granule >> granulesShift_; }
  uint64_t addressOf(uint32_t line) const { return pages_.addressOf(line << granulesShift_); }
  /// The ways that hold a line, in the order of the lines' numbers.
  std::vector<const Way *> held() const;

  const bool isUsual; // lines have 64 bytes, a set of the L1 has eight, and the table can name all ways
  CacheTotals totals;
  std::vector<uint64_t> *newPages = nullptr; // gets each page that is touched for the first time

private:
  struct Line {
    uint32_t position; // in the epochs
    uint32_t l1;       // IN_L1 and its way there; else the stamp of its last reference
    uint32_t l2;       // 2 * (stamp's number + 1), 0 if it is not there; and whether it was modified when it last left
                       // the L1
    uint32_t llc;      // stamp's number + 1
    bool isInL1() const { return l1 & IN_L1; }
  };
  static constexpr uint32_t IN_L1 = 1u << 31;
  static constexpr uint32_t LAST_CLOCK = STAMPS_END / 2; // a batch adds less than as much

  static constexpr unsigned USUAL_LINES_SHIFT = 6, USUAL_GRANULES_SHIFT = 3, USUAL_WAYS = 8;

  DPROF_WIDE Found findUsual(uint64_t number, bool store, Appended<LineMiss> &misses);
  DPROF_WIDE Found findOther(uint64_t number, bool store, Appended<LineMiss> &misses);
  DPROF_WIDE uint32_t missL2(Line &line, uint32_t id, uint64_t number, LineMiss &miss);
  [[gnu::noinline]] void meetFirst(uint64_t number);
  uint32_t missAt(unsigned level, uint32_t position, uint64_t number);
  template <bool Usual> uint32_t fillL1(Line &line, uint32_t id, uint64_t number, bool store, LineMiss &miss);
  template <bool Usual> [[gnu::always_inline]] uint32_t idOf(uint64_t number) {
    const unsigned shift = Usual ? USUAL_LINES_SHIFT : pages_.linesShift;
    const uint32_t frame = pages_.frameOf(number >> shift, [&](uint64_t page) { return addPage(page); });
    return frame << shift | static_cast<uint32_t>(number & ((1u << shift) - 1));
  }
  [[gnu::noinline]] uint32_t addPage(uint64_t page);
  DPROF_WIDE void endEpoch();
  void restamp();

  const unsigned granulesShift_;
  const uint32_t setMask_, eachWays_; // of the L1
  KnownLines &known_;
  uint16_t *const table_; // its arrays
  Way *const ways_;
  uint32_t *const stamps_;
  uint32_t lineCount_ = 0;
  ZeroedArray<Line> lines_;
  ReferenceEpochs<Line> epochs_; // windows: L1, L2, LLC
  StampedSets l2_, llc_;         // all stamps are of the same clock
  CrowdedSets crowded_[3];
  PageMap pages_;
};

} // namespace dprof
