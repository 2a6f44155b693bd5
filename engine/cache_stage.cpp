// Stage: replay. What the caches ask of slots, and what they say of lines that come and go. docs/replay.md, "Attribution".
#include "cache_stage.h"

#include <algorithm>

namespace dprof {

CacheStage::CacheStage(const Input &input, const Plans &plans)
    : hierarchy(input.machine), whole(input.machine.whole.plain ? nullptr : std::make_unique<WholeHierarchy>(input.machine, &wholeEvents_)),
      onePlainCore_(input.machine.onePlainCore()), granulesShift_(input.machine.lineShift - PageMap::granuleShift), lineMask_((1u << input.machine.lineShift) - 1),
      lineShift_(input.machine.lineShift), cores_(input.machine.cores), lineUse_(input.machine) {
  for (const SlotPlan &slot : plans.slots)
    shapes_.push_back({slot.size, isBlockKind(slot.kind), slot.kind >= DPROF_SLOT_ATOMIC_LOAD && slot.kind <= DPROF_SLOT_ATOMIC_RESULT});
  if (plans.kernelSlot != NO_INDEX) shapes_[plans.kernelSlot].isBlock = true;
}

[[gnu::always_inline]] inline void CacheStage::move(ReferenceBatch &batch, std::vector<LineMove> &moves, uint32_t outcome, const LineEvent &event) {
  uint32_t left = NO_INDEX;
  if (event.level == 0 && event.line) {
    left = static_cast<uint32_t>(batch.leftLines.size());
    const uint64_t *used = lineUse_.of(event.unit, event.line);
    batch.leftLines.push_back(addressOf(event.line));
    for (uint32_t word = 0; word < lineUse_.words; word++) batch.leftLines.push_back(used[word]);
  }
  moves.push_back({outcome, left, event});
  if (event.level == 0 && event.kind == LineEvent::FILLED) lineUse_.begin(event.unit, event.filled);
}

/// The reference uses its bytes as soon as their line is in. No line comes and goes in one reference to plain caches, so there that is at the end.
void CacheStage::follow(ReferenceBatch &batch, std::vector<LineMove> &moves, uint32_t outcome, const Use &use) {
  const std::vector<LineEvent> &events = hierarchy.events;
  auto brings = [&](const LineEvent &event) { return event.kind == LineEvent::FILLED && event.level == 0 && event.filled == use.line; };
  auto useIt = [&] { lineUse_.use(use.unit, use.line, use.first, use.length); };
  if (!whole) {
    for (const LineEvent &event : events) move(batch, moves, outcome, event);
    useIt();
  } else {
    if (std::none_of(events.begin(), events.end(), brings)) useIt();
    for (const LineEvent &event : events) {
      move(batch, moves, outcome, event);
      if (brings(event)) useIt();
    }
  }
  hierarchy.events.clear();
}

} // namespace dprof
