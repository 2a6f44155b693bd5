// Stage: replay. The facts about slots that the caches need, and the reports of lines that come and go.
// docs/replay/attribution.md.
#include "caches/cache_stage.h"

#include <algorithm>

namespace dprof {

CacheStage::CacheStage(const Input &input, const Plans &plans, bool tellsLeft)
    : lone(input.machine.onePlainCore() ? std::make_unique<LoneLookups>(input.machine, plans) : nullptr),
      hierarchy(lone || !input.shardFiles.empty() ? nullptr
                                                  : std::make_unique<Hierarchy>(input.machine, input.flow.asked)),
      wholeEvents_(hierarchy ? &hierarchy->events : nullptr, input.flow.asked),
      whole(input.machine.whole.plain ? nullptr : std::make_unique<WholeHierarchy>(input.machine, &wholeEvents_)),
      granulesShift_(input.machine.lineShift - PageMap::granuleShift), lineMask_((1u << input.machine.lineShift) - 1),
      lineShift_(input.machine.lineShift), cores_(input.machine.cores), lineUse_(input.machine),
      hasWideLines_(input.machine.whole.plain && lineUse_.words > 1), tellsLeft_(tellsLeft), shard_(input.shard),
      ownLines_(input.machine, input.shard) {
  if (!input.shardFiles.empty()) shards_ = std::make_unique<JoinedShards>(input.shardFiles, input.machine);
  for (const SlotPlan &slot : plans.slots)
    shapes_.push_back({slot.size, isBlockKind(slot.kind), isAtomicKind(slot.kind)});
  if (plans.kernelSlot != NO_INDEX) shapes_[plans.kernelSlot].isBlock = true;
}

void CacheStage::addPage(uint64_t page) {
  hierarchy->addPage(page);
  if (shard_.count == 0) return;
  const uint32_t lines = 1u << (PageMap::pageShift - lineShift_);
  if (isOwn_.empty()) isOwn_.resize(lines); // of no page
  for (uint32_t line = 0; line < lines; line++) isOwn_.push_back(ownLines_.has(page * lines + line));
}

CacheTotals CacheStage::totals() const {
  if (shards_) return shards_->totals();
  if (!whole) return lone ? lone->totals() : hierarchy->totals;
  const WholeCacheTotals &of = whole->totals;
  return {of.invalidations, of.upgrades, of.writeBacks, {of.misses[0], of.misses[1], of.misses[2]}};
}

/// Which bytes of the line were touched in the L1 that it leaves.
uint32_t CacheStage::pushLeft(ReferenceBatch &batch, uint32_t unit, uint32_t line) {
  uint32_t left = static_cast<uint32_t>(batch.leftLines.size());
  const uint64_t *used = whole || hasWideLines_ ? lineUse_.of(unit, line) : &hierarchy->core(unit).lines[line].used;
  batch.leftLines.push_back(addressOf(line));
  batch.leftLines.insert(batch.leftLines.end(), used, used + lineUse_.words);
  return left;
}

void CacheStage::noteWide(ReferenceBatch &batch, LineMiss *miss, const Use &use) {
  if (miss) {
    if (miss->victim[0]) miss->left = pushLeft(batch, use.unit, miss->victim[0]);
    lineUse_.begin(use.unit, use.line);
  }
  lineUse_.use(use.unit, use.line, use.first, use.length);
}

void CacheStage::move(ReferenceBatch &batch, const LineEvent &event) {
  uint32_t left = NO_INDEX;
  if (event.line && event.level == 0) {
    left = pushLeft(batch, event.unit, event.line);
  } else if (event.line && tellsLeft_) {
    left = static_cast<uint32_t>(batch.leftLines.size());
    batch.leftLines.push_back(addressOf(event.line));
  }
  batch.lineMoves.push_back({static_cast<uint32_t>(batch.outcomes.size()), left, event});
}

template <bool Whole> bool CacheStage::follow(ReferenceBatch &batch, const Use &use) {
  const std::vector<LineEvent> &events = hierarchy->events;
  if constexpr (Whole) { // the reference uses its bytes as soon as their line is in
    auto brings = [&](const LineEvent &event) {
      return event.kind == LineEvent::FILLED && event.level == 0 && event.filled == use.line;
    };
    auto useIt = [&] { lineUse_.use(use.unit, use.line, use.first, use.length); };
    if (std::none_of(events.begin(), events.end(), brings)) useIt();
    for (const LineEvent &event : events) {
      move(batch, event);
      if (event.level == 0 && event.kind == LineEvent::FILLED) lineUse_.begin(event.unit, event.filled);
      if (brings(event)) useIt();
    }
  } else {
    for (const LineEvent &event : events) move(batch, event);
  }
  bool any = !events.empty();
  hierarchy->events.clear();
  return any;
}

template bool CacheStage::follow<false>(ReferenceBatch &, const Use &);
template bool CacheStage::follow<true>(ReferenceBatch &, const Use &);

} // namespace dprof
