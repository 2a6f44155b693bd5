// Stage: replay, the second of three. The references of a batch go through the caches; every outcome that is no plain
// hit is recorded. The stage knows lines and cores, but no objects.
#pragma once

#include "batch/reference_batch.h"
#include "caches/hierarchy.h"
#include "caches/line_use.h"
#include "caches/lone_lookups.h"
#include "caches/whole_hierarchy.h"
#include "shards/joined_shards.h"

namespace dprof {

/// Turns the reports of a whole machine's caches into the events that plain caches make.
class WholeEvents final : public CacheSink {
public:
  WholeEvents(std::vector<LineEvent> *events, bool tellsAll) : events_(events), tellsAll_(tellsAll) {}
  void filled(unsigned level, uint32_t unit, uint32_t line, size_t frame, uint32_t victim) override {
    tell(LineEvent::FILLED, level, unit, frame, victim, line);
  }
  void removed(unsigned level, uint32_t unit, uint32_t line, size_t frame, Why why, uint32_t times) override {
    constexpr LineEvent::Kind kinds[] = {LineEvent::INVALIDATED, LineEvent::EVICTED, LineEvent::MOVED};
    if (times == 0 && tellsAll_) tell(LineEvent::LEFT, level, unit, frame, line, 0);
    for (; times; times--) tell(kinds[why], level, unit, frame, line, 0);
  }

private:
  void tell(LineEvent::Kind kind, unsigned level, uint32_t unit, size_t frame, uint32_t line, uint32_t filled) {
    events_->push_back(
        {kind, static_cast<uint8_t>(level), static_cast<uint16_t>(unit), static_cast<uint32_t>(frame), line, filled});
  }
  std::vector<LineEvent> *const events_;
  const bool tellsAll_;
};

class CacheStage {
public:
  /// `tellsLeft`: moves say the addresses of lines that leave any level.
  CacheStage(const Input &input, const Plans &plans, bool tellsLeft = false);
  void lookUp(ReferenceBatch &batch) {
    if (shards_) return shards_->lookUp(batch);
    if (lone) {
      lone->begin(batch);
      lone->lookUp(batch);
      return lone->end(batch);
    }
    batch.forgetOutcomes();
    if (batch.begins) beginWindow();
    for (uint64_t page : batch.newPages) addPage(page);
    hierarchy->misses = &batch.misses;
    if (whole)
      lookUpOnManyCores<true>(batch);
    else
      lookUpOnManyCores<false>(batch);
  }

  /// For a stream that looks up as it lays out; null if references have to be laid out first.
  Lookups *lookups() { return lone && lineShift_ == KnownHits::LINE_SHIFT ? lone.get() : nullptr; }

  /// Sets the totals to 0; the caches keep their contents.
  void beginWindow() {
    if (lone) lone->totals() = {};
    if (hierarchy) hierarchy->totals = {};
    if (whole) whole->restartTotals();
  }

  /// Visits every line that an L1 holds: its address, and a bit for each byte that was touched there.
  template <typename Visit> void eachInL1(Visit visit) {
    if (shards_) return shards_->eachInL1(visit);
    if (whole)
      return whole->eachInL1([&](uint32_t unit, uint32_t line) { visit(addressOf(line), lineUse_.of(unit, line)); });
    if (lone) return lone->eachInL1(visit);
    eachOfCores([&](uint32_t, uint32_t, uint64_t address, const uint64_t *used) { visit(address, used); });
  }
  /// The same of plain caches that are no lone core's; it is told the core, and the line as its caches number it, too.
  template <typename Visit> void eachOfCores(Visit visit) {
    for (uint32_t core = 0; core < cores_; core++)
      for (uint32_t line = 1; line < hierarchy->lineCount(); line++)
        if (const CoreLine &of = hierarchy->core(core).lines[line]; of.inL1)
          visit(core, line, addressOf(line), hasWideLines_ ? lineUse_.of(core, line) : &of.used);
  }

  CacheTotals totals() const;

  std::unique_ptr<LoneLookups> lone;    // the caches of a plain machine with one core
  std::unique_ptr<Hierarchy> hierarchy; // of any other; what is between the cores of one that is not plain, too

private:
  WholeEvents wholeEvents_;

public:
  std::unique_ptr<WholeHierarchy> whole; // the caches of a machine that is not plain

private:
  /// The properties that a slot gives to each of its references, besides the address.
  struct Shape {
    uint32_t size;
    bool isBlock, isAtomic; // isBlock: the batch says each reference's size
  };
  struct Access {
    uint32_t reference, line, slot, size;
    uint64_t address;
    bool store, orderBound, isPiece; // isPiece: of an odd access
  };
  /// Bytes of a line in an L1.
  struct Use {
    uint32_t unit, line, first, length;
  };
  uint64_t addressOf(uint32_t line) const {
    return (whole ? whole->lineNumber(line) : hierarchy->lineNumber(line)) << lineShift_;
  }
  void addPage(uint64_t page);
  /// A reference has been looked up in the caches of a plain machine with lines above 64 bytes, and uses these bytes.
  void noteWide(ReferenceBatch &batch, LineMiss *miss, const Use &use);
  /// The same for any other machine; it also records the events of lines, such as invalidations in other cores. True if
  /// there were any.
  template <bool Whole> bool follow(ReferenceBatch &batch, const Use &use);
  void move(ReferenceBatch &batch, const LineEvent &event);
  uint32_t pushLeft(ReferenceBatch &batch, uint32_t unit, uint32_t line);
  // many_cores.cpp
  template <bool Whole> void lookUpOnManyCores(ReferenceBatch &batch);
  uint32_t passHits(Hierarchy::Core &core, const Reference *references, uint32_t at, uint32_t end);
  template <bool Whole> void lookUp(ReferenceBatch &batch, Hierarchy::Core &core, const Access &access);
  template <bool Whole>
  void lookUpShared(uint32_t core, uint32_t line, const Access &access, uint32_t bits, Aside &aside);
  template <bool Whole>
  void lookUpOdd(ReferenceBatch &batch, Hierarchy::Core &core, Access access, const OddAccess &odd);

  const unsigned granulesShift_; // of a line
  const uint32_t lineMask_;
  const unsigned lineShift_;
  const uint32_t cores_;
  LineUse lineUse_;         // of a machine that is not plain, or whose lines are longer than 64 bytes
  const bool hasWideLines_; // of a plain one
  const bool tellsLeft_;
  std::vector<Shape> shapes_; // by slot
  const Shard shard_;
  const ShardLines ownLines_;
  std::vector<uint8_t> isOwn_;           // by line, of a shard
  std::unique_ptr<JoinedShards> shards_; // instead of caches
};

} // namespace dprof
