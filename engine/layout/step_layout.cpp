// Stage: trace -> replay. Accesses are laid out as references; docs/replay/references.md.
#include "layout/step_layout.h"

#include <algorithm>

namespace dprof {

StepLayout::StepLayout(const Plans &plans, const Input &input, bool numbersPages)
    : plans_(plans), pages_(input.machine.lineShift), lineMask_((1u << input.machine.lineShift) - 1),
      shapes_(plans.shapes), numbersPages_(numbersPages), timed_(plans.timed), oneCore_(input.machine.onePlainCore()),
      borders_(input.window) {
  for (const SlotPlan &slot : plans.slots) room_ = std::max<uint32_t>(room_, slot.lanes);
  for (const RecordPlan &record : plans.records) {
    room_ = std::max<uint32_t>(room_, record.slotCount);
    segments_.push_back({record.firstSlot, record.plain && !record.stamped ? record.slotCount : NO_INDEX,
                         record.instructions, record.segments(), record.function, record.call,
                         static_cast<uint8_t>(record.flags & CallStack::MOVES)});
  }
}

void StepLayout::clear(ReferenceBatch &batch) {
  batch.references.resize(FULL + room_);
  if (timed_) batch.times.resize(FULL + room_);
  batch.count = 0;
  batch.odd.clear();
  batch.pieces.clear();
  batch.changes.clear();
  batch.callPaths.clear();
  batch.words.clear();
  batch.events.clear();
  batch.newPages.clear();
  batch.joined.clear();
  batch.steady.clear();
  batch.runs.clear();
  batch.streams.clear();
  batch.turns.assign(1, turn_);
  batch.lockSteps.clear();
  batch.threads.assign(thread_ == NO_INDEX ? 0 : 1, {0, thread_});
  batch.blockBytes.clear();
  batch.values.clear();
}

bool StepLayout::begin(ReferenceBatch &batch) {
  clear(batch);
  batch.begins = borders_.takeBegin();
  skippedSteps_ = 0;
  setLimit();
  sayTotals(batch);
  return !borders_.isOver();
}

void StepLayout::end(ReferenceBatch &batch, bool isBetween) {
  if (borders_.asked()) {
    passed_ += further_ + batch.count;
    further_ = 0;
    if (isBetween) borders_.pass(static_cast<uint64_t>(passed_), time_);
  }
  sayTotals(batch);
}

void StepLayout::sayTotals(ReferenceBatch &batch) const {
  batch.isOfSeveralThreads = isOfSeveralThreads_;
  batch.segments = segmentCount_;
  batch.slots = slotCount_;
  batch.time = time_;
}

/// Limits the references that `batch.count` counts.
void StepLayout::setLimit() {
  limit_ = borders_.isSeen() ? 0 : FULL;
  if (limit_ == 0 || borders_.nextReferences() == WindowBorders::NEVER) return;
  int64_t left = static_cast<int64_t>(borders_.nextReferences()) - passed_ - further_;
  limit_ = static_cast<uint32_t>(std::clamp<int64_t>(left, 0, FULL));
}

uint64_t StepLayout::referencesToBorder(const ReferenceBatch &batch) const {
  if (borders_.nextReferences() == WindowBorders::NEVER) return WindowBorders::NEVER;
  return static_cast<uint64_t>(
      std::max<int64_t>(static_cast<int64_t>(borders_.nextReferences()) - passed_ - further_ - batch.count, 0));
}

void StepLayout::skip(uint64_t address, uint64_t size) {
  if (size) checkedAddress(address + size - 1 < address ? ~uint64_t{0} : address + size - 1);
  addSkipped(referencesOf(address, size));
}

// -- changes

void StepLayout::change(ReferenceBatch &batch, Change::What what, uint32_t thread, uint32_t record,
                        const uint64_t *words, uint32_t count) {
  batch.changes.push_back(
      {batch.count, what, turn_.core, thread, record, static_cast<uint32_t>(batch.words.size()), time_});
  batch.words.insert(batch.words.end(), words, words + count);
}

void StepLayout::changeByEvent(ReferenceBatch &batch, uint32_t thread, const Event &event) {
  batch.changes.push_back(
      {batch.count, Change::EVENT, turn_.core, thread, NO_INDEX, static_cast<uint32_t>(batch.events.size()), time_});
  batch.events.push_back(event);
}

// -- references

const uint64_t *StepLayout::takeSlot(ReferenceBatch &batch, uint32_t slot, const uint64_t *words) {
  const SlotPlan &plan = plans_.slots[slot];
  switch (plan.kind) {
    case DPROF_SLOT_COPY_LOAD: {
      const SlotPlan &store = plans_.slots[slot + 1];
      bool dynamic = store.size == DPROF_SIZE_DYNAMIC;
      block_ = {words[0], words[1], dynamic ? checkedAddress(words[2]) : store.size, slot, true};
      return words + 2 + dynamic;
    }
    case DPROF_SLOT_FILL:
    case DPROF_SLOT_SCAN: {
      bool dynamic = plan.size == DPROF_SIZE_DYNAMIC;
      block_ = {words[0], words[0], dynamic ? checkedAddress(words[1]) : plan.size, slot, false};
      return words + 1 + dynamic;
    }
    case DPROF_SLOT_MASKED_LOAD:
    case DPROF_SLOT_MASKED_STORE:
      for (uint32_t lane = 0; lane < plan.lanes && lane < 64; lane++)
        if (words[1] >> lane & 1) append(batch, slot, words[0] + uint64_t{lane} * plan.size, plan.size);
      return words + 2;
    case DPROF_SLOT_GATHER:
    case DPROF_SLOT_SCATTER:
      for (uint32_t lane = 0; lane < plan.lanes; lane++)
        if (words[lane]) append(batch, slot, words[lane], plan.size);
      return words + plan.lanes;
    case DPROF_SLOT_VALUE: nextValue_ = words[0]; return words + 1;
    case DPROF_SLOT_OBJECT:
    case DPROF_SLOT_ARGUMENT: return words + 1;
    default:
      tellValue(batch, slot, words);
      append(batch, slot, words[0], plan.size);
      return words + 1;
  }
}

void StepLayout::takeBlock(ReferenceBatch &batch) {
  while (block_.size && batch.count < FULL) {
    uint64_t piece = std::min(block_.size, lineMask_ + 1 - (block_.source & lineMask_));
    appendBlock(batch, block_.slot, block_.source, piece);
    if (block_.copies) appendBlock(batch, block_.slot + 1, block_.destination, piece);
    block_.source += piece;
    block_.destination += piece;
    block_.size -= piece;
  }
}

void StepLayout::appendBlock(ReferenceBatch &batch, uint32_t slot, uint64_t address, uint64_t size) {
  append(batch, slot, address, size);
  if (skips()) return;
  batch.blockBytes.push_back(static_cast<uint16_t>(size));
}

uint32_t StepLayout::granuleOf(ReferenceBatch &batch, uint64_t address) {
  if (!numbersPages_) return 0;
  uint32_t frame = pages_.frameOf(PageMap::pageOf(address), [&](uint64_t page) {
    uint32_t added = pages_.add(page);
    batch.newPages.push_back(page);
    return added;
  });
  return PageMap::granule(frame, address);
}

void StepLayout::append(ReferenceBatch &batch, uint32_t at, uint32_t slot, uint64_t address, uint64_t size) {
  Reference reference{address, slot, shapes_[slot].size, shapes_[slot].store, 0};
  if (size == 0 || (address & lineMask_) + size - 1 > lineMask_) {
    uint32_t first = static_cast<uint32_t>(batch.pieces.size());
    for (uint64_t from = address, left = size; left;) {
      batch.pieces.push_back(granuleOf(batch, from));
      uint64_t piece = std::min(left, lineMask_ + 1 - (from & lineMask_));
      from += piece;
      left -= piece;
    }
    batch.odd.push_back({at, first, static_cast<uint32_t>(batch.pieces.size()) - first});
    further_ += static_cast<int64_t>(batch.odd.back().pieces) - 1;
    setLimit();
  } else {
    reference.granule = granuleOf(batch, address);
  }
  batch.references[at] = reference;
  if (timed_) batch.times[at] = stepTime_;
}

} // namespace dprof
