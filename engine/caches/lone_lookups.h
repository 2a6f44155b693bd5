// Stage: replay. The references of a batch go through the caches of the only core of a plain machine, all at once or as
// they are laid out; every outcome that is no plain hit is recorded. These caches number pages, so every granule of the
// batch is written here, or by who asked for a hit of a known line.
#pragma once

#include "caches/line_use.h"
#include "caches/lone_core.h"
#include "layout/lookups.h"

namespace dprof {

class LoneLookups final : public Lookups {
public:
  LoneLookups(const Machine &machine, const Plans &plans);
  void begin(ReferenceBatch &batch) override;
  uint32_t meet(uint32_t at, uint64_t address, uint32_t reach, bool store) override;
  void fetch(const uint64_t *words, const uint64_t *end) const override;
  void lookUp(ReferenceBatch &batch) override;
  void end(ReferenceBatch &batch) override;

  CacheTotals &totals() { return core_.totals; }
  /// Visits every line that the L1 holds: its address, and a bit for each byte that was touched there.
  template <typename Visit> void eachInL1(Visit visit) {
    for (const KnownLines::Way *way : core_.held()) {
      const uint32_t line = core_.lineOf(*way);
      visit(core_.addressOf(line), hasWideLines_ ? lineUse_.of(0, line) : &way->used);
    }
  }

private:
  template <bool Usual> uint32_t meetHere(uint32_t at, uint64_t address, uint32_t reach, bool store);
  DPROF_WIDE uint32_t meetUsual(uint32_t at, uint64_t address, uint32_t reach, bool store);
  DPROF_WIDE uint32_t meetOther(uint32_t at, uint64_t address, uint32_t reach, bool store);
  template <bool WideLines> void lookUpAll(ReferenceBatch &batch);
  template <bool WideLines> void lookUpTo(ReferenceBatch &batch, uint32_t end);
  template <bool WideLines> void lookUpOdd(ReferenceBatch &batch, const OddAccess &access);
  void takeBack(ReferenceBatch &batch) const;
  uint32_t sizeOf(const ReferenceBatch &batch, const Reference &reference) {
    if (reference.size != SIZE_BY_SLOT) [[likely]]
      return 1u << reference.size;
    const uint32_t size = sizes_[reference.slot];
    return size == OF_BLOCK ? batch.blockBytes[block_++] : size;
  }
  /// A reference to bytes of one line. Lines that it moves are added to `misses`.
  template <bool WideLines>
  [[gnu::always_inline]] uint32_t take(ReferenceBatch &batch, Appended<LineMiss> &misses, uint64_t address, bool store,
                                       uint32_t length, KnownLines::Way *&way) {
    const uint32_t first = static_cast<uint32_t>(address) & lineMask_,
                   bits = core_.reference(address >> lineShift_, store, misses, way);
    if constexpr (WideLines)
      if (!isPlain(bits)) beginWide(batch, misses.back(), core_.lineOf(*way));
    use<WideLines>(*way, first, length);
    return bits;
  }
  template <bool WideLines> [[gnu::always_inline]] void use(KnownLines::Way &way, uint32_t first, uint32_t length) {
    if constexpr (WideLines)
      lineUse_.use(0, core_.lineOf(way), first, length);
    else
      way.used |= ~uint64_t{0} >> ((64 - length) & 63) << first;
  }
  void beginWide(ReferenceBatch &batch, LineMiss &miss, uint32_t line);
  static bool isPlain(uint32_t bits) { return (bits & ~outcome::STORE) == outcome::PLAIN; }
  uint32_t granuleIn(const KnownLines::Way &way, uint64_t address) const {
    return way.granule | (static_cast<uint32_t>(address) & lineMask_) >> PageMap::granuleShift;
  }
  // loop_run.cpp
  struct Walk;
  template <bool WideLines> void lookUpRun(ReferenceBatch &batch, LoopRun &run);
  template <bool WideLines, bool Usual> void walkFar(ReferenceBatch &batch, LoopRun &run, Walk *walks);
  DPROF_WIDE void walkFarUsual(ReferenceBatch &batch, LoopRun &run, Walk *walks);
  template <bool WideLines> void walkNear(ReferenceBatch &batch, LoopRun &run, Walk *walks);
  template <bool WideLines, bool Usual>
  KnownLines::Way *walkOn(ReferenceBatch &batch, LoopRun &run, uint32_t iteration, uint32_t stream, Walk &walk);
  template <bool WideLines>
  void walkOver(ReferenceBatch &batch, LoopRun &run, uint32_t iteration, uint32_t stream, Walk &walk);
  static uint32_t iterationsOnLine(const Walk &walk, uint32_t lineMask);
  template <bool WideLines>
  void useOn(KnownLines::Way &way, uint32_t first, uint32_t size, int32_t stride, uint32_t iterations);

  static constexpr uint32_t OF_BLOCK = NO_INDEX; // the batch says each reference's size
  const uint32_t lineMask_;
  const unsigned lineShift_;
  LineUse lineUse_; // of lines above 64 bytes
  const bool hasWideLines_;
  std::vector<uint32_t> sizes_; // by slot
  LoneCore core_;
  ReferenceBatch *batch_ = nullptr;
  // Up to where it is looked up, beside `at_`:
  uint32_t odd_ = 0, run_ = 0, block_ = 0;
};

} // namespace dprof
