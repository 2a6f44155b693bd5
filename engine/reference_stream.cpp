// Stage: trace -> replay. Steps are laid out as references, each with its granule.
#include "reference_stream.h"

namespace dprof {

constexpr uint32_t FULL = 2048; // references; a batch that has as many is handed on
constexpr uint32_t FULL_CHANGES = 1024;
constexpr uint16_t ODD_REACH = 0x7fff; // longer than any line: of no bytes, or of very many

ReferenceStream::ReferenceStream(const TraceFile &file, const Plans &plans, const ThreadChunks &chunks, unsigned lineShift)
    : plans_(plans), decoder_(file, plans, chunks), pages_(lineShift), lineMask_((1u << lineShift) - 1), room_(64) {
  for (const SlotPlan &slot : plans.slots) {
    shapes_.push_back({static_cast<uint16_t>(std::min<uint32_t>(slot.size - 1, ODD_REACH)), isStoreKind(slot.kind)});
    room_ = std::max<uint32_t>(room_, slot.lanes);
  }
  for (const RecordPlan &record : plans.records) {
    room_ = std::max<uint32_t>(room_, record.slotCount);
    functions_.push_back({record.function, record.flags});
    segments_.push_back({record.firstSlot, record.plain && !record.stamped ? record.slotCount : NO_INDEX, record.instructions});
  }
}

bool ReferenceStream::next(ReferenceBatch &batch) {
  batch.references.resize(FULL + room_);
  batch.count = 0;
  batch.odd.clear();
  batch.pieces.clear();
  batch.outcomes.clear();
  batch.changes.clear();
  batch.words.clear();
  batch.events.clear();
  batch.newPages.clear();
  while (batch.count < FULL && batch.changes.size() < FULL_CHANGES) {
    if (block_.size) {
      takeBlock(batch);
    } else if (step_ < steps_.stepCount) {
      takePlain(batch);
      if (step_ < steps_.stepCount && batch.count < FULL) takeStep(batch);
    } else {
      passCalls(steps_.stepCount);
      if (!decoder_.next(steps_)) break;
      called_ = 0;
      step_ = event_ = word_ = 0;
    }
  }
  batch.segments = segmentCount_;
  batch.slots = slotCount_;
  batch.time = time_;
  batch.bytesRead = decoder_.bytesRead();
  return batch.count || !batch.changes.empty();
}

// -- plain segments

/// Most steps are plain segments, so this loop holds nothing that it seldom needs. False where a reference is in the way that it leaves
/// to the caller: one that is odd, or on a page that was not asked for lately.
[[gnu::noinline]] bool ReferenceStream::layOut(Layout &layout) {
  const PlainSegment *const segments = layout.segments;
  const SlotShape *const shapes = layout.shapes;
  const PageMap &pages = *layout.pages;
  const uint32_t lineMask = layout.lineMask;
  const uint64_t *words = layout.words;
  Reference *at = layout.at;
  uint32_t slot = layout.slot, slotEnd = layout.slotEnd;
  const uint32_t *step = layout.step;
  uint64_t time = layout.time;
  bool done = true;
  for (;;) {
    for (; slot != slotEnd; slot++, words++, at++) {
      uint64_t address = *words;
      SlotShape shape = shapes[slot];
      uint32_t frame = pages.findNear(PageMap::pageOf(address));
      if (!frame || (static_cast<uint32_t>(address) & lineMask) + shape.reach > lineMask) [[unlikely]] {
        done = false;
        break;
      }
      *at = {address, slot, shape.store, PageMap::granule(frame, address)};
    }
    if (!done || at >= layout.full || step == layout.stepEnd || *step == EVENT_STEP) break;
    const PlainSegment &segment = segments[*step];
    if (segment.slots == NO_INDEX) break;
    step++;
    slot = segment.firstSlot;
    slotEnd = slot + segment.slots;
    time += segment.instructions;
  }
  layout.words = words;
  layout.at = at;
  layout.slot = slot;
  layout.slotEnd = slotEnd;
  layout.step = step;
  layout.time = time;
  return done;
}

/// As many plain segments as follow one another.
void ReferenceStream::takePlain(ReferenceBatch &batch) {
  Layout layout{segments_.data(), shapes_.data(), &pages_, lineMask_, steps_.steps.data() + step_, steps_.steps.data() + steps_.stepCount,
                steps_.words.data() + word_, batch.references.data() + batch.count, batch.references.data() + FULL, 0, 0, time_};
  uint32_t first = batch.count;
  while (!layOut(layout)) {
    append(batch, static_cast<uint32_t>(layout.at++ - batch.references.data()), layout.slot, *layout.words++, plans_.slots[layout.slot].size);
    layout.slot++;
  }
  batch.count = static_cast<uint32_t>(layout.at - batch.references.data());
  size_t step = static_cast<size_t>(layout.step - steps_.steps.data());
  slotCount_ += batch.count - first;
  segmentCount_ += step - step_;
  time_ = layout.time;
  step_ = step;
  word_ = static_cast<size_t>(layout.words - steps_.words.data());
}

// -- other steps

void ReferenceStream::change(ReferenceBatch &batch, Change::What what, uint32_t record, const uint64_t *words, uint32_t count) {
  batch.changes.push_back({batch.count, what, record, static_cast<uint32_t>(batch.words.size()), time_});
  batch.words.insert(batch.words.end(), words, words + count);
}

/// The functions that the thread went through, up to step `end`: looked at only where an allocation, or the end of what is decoded, asks.
void ReferenceStream::passCalls(size_t end) {
  for (; called_ < end; called_++)
    if (uint32_t record = steps_.steps[called_]; record != EVENT_STEP) calls_.pass(functions_[record].function, functions_[record].flags);
}

/// A step that is no plain segment, or the rest of one.
void ReferenceStream::takeStep(ReferenceBatch &batch) {
  uint32_t record = steps_.steps[step_];
  if (record == EVENT_STEP) {
    batch.changes.push_back({batch.count, Change::EVENT, record, static_cast<uint32_t>(batch.events.size()), time_});
    const Event &event = steps_.events[event_++];
    batch.events.push_back(event);
    step_++;
    if (isKernelRange(event) && plans_.kernelSlot != NO_INDEX) block_ = {event.address, event.address, event.size, plans_.kernelSlot, false};
    return;
  }
  const RecordPlan &plan = plans_.records[record];
  const uint64_t *words = steps_.words.data() + word_;
  const uint32_t end = plan.firstSlot + plan.slotCount;
  bool segment = plan.tag == DPROF_RECORD_SEGMENT;
  if (!begun_) {
    begun_ = true;
    nextSlot_ = segment ? plan.firstSlot : end; // only segments make references
    if (!segment) {
      change(batch, Change::OBJECT_RECORD, record, words, plan.codedWords);
      if (plan.tag == DPROF_RECORD_ALLOCATION) {
        passCalls(step_ + 1);
        batch.changes.back().path = calls_.path();
      }
    }
    else if (plan.flags & DPROF_RECORD_ENTRY && !plan.plain) change(batch, Change::ENTER, record, words, plan.codedWords);
  }
  for (uint32_t slot = plan.firstSlot; slot < nextSlot_; slot++) words += wordsOfSlot(plans_.slots[slot]);
  while (nextSlot_ < end) {
    if (batch.count >= FULL) return; // goes on in the next batch
    uint32_t slot = nextSlot_;
    nextSlot_ += plans_.slots[slot].kind == DPROF_SLOT_COPY_LOAD ? 2 : 1;
    words = takeSlot(batch, slot, words);
    if (block_.size) return;
  }
  if (segment) {
    segmentCount_++;
    slotCount_ += plan.slotCount;
    time_ += plan.instructions;
  }
  if (closesFrame(plan)) change(batch, Change::LEAVE, record, words, 0);
  begun_ = false;
  step_++;
  event_ += plan.stamped;
  word_ += plan.codedWords;
}

/// Accesses of one slot of a segment that is not plain. A copy or fill is only begun.
const uint64_t *ReferenceStream::takeSlot(ReferenceBatch &batch, uint32_t slot, const uint64_t *words) {
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
      if (words[1] >> lane & 1) append(batch, batch.count++, slot, words[0] + uint64_t{lane} * plan.size, plan.size);
    return words + 2;
  case DPROF_SLOT_GATHER:
  case DPROF_SLOT_SCATTER:
    for (uint32_t lane = 0; lane < plan.lanes; lane++)
      if (words[lane]) append(batch, batch.count++, slot, words[lane], plan.size);
    return words + plan.lanes;
  case DPROF_SLOT_OBJECT:
  case DPROF_SLOT_VALUE:
  case DPROF_SLOT_ARGUMENT: return words + 1;
  default: append(batch, batch.count++, slot, words[0], plan.size); return words + 1;
  }
}

void ReferenceStream::takeBlock(ReferenceBatch &batch) {
  while (block_.size && batch.count < FULL) {
    uint64_t piece = std::min(block_.size, lineMask_ + 1 - (block_.source & lineMask_));
    append(batch, batch.count++, block_.slot, block_.source, piece);
    if (block_.copies) append(batch, batch.count++, block_.slot + 1, block_.destination, piece);
    block_.source += piece;
    block_.destination += piece;
    block_.size -= piece;
  }
}

/// Any access, or a piece of a copy or fill.
void ReferenceStream::append(ReferenceBatch &batch, uint32_t at, uint32_t slot, uint64_t address, uint64_t size) {
  auto granuleOf = [&](uint64_t at) {
    uint32_t frame = pages_.frameOf(PageMap::pageOf(at), [&](uint64_t page) {
      batch.newPages.push_back(page);
      return pages_.add(page);
    });
    return PageMap::granule(frame, at);
  };
  Reference reference{address, slot, shapes_[slot].store, 0};
  if (size == 0 || (address & lineMask_) + size - 1 > lineMask_) {
    uint32_t first = static_cast<uint32_t>(batch.pieces.size());
    for (uint64_t from = address, left = size; left;) {
      batch.pieces.push_back(granuleOf(from));
      uint64_t piece = std::min(left, lineMask_ + 1 - (from & lineMask_));
      from += piece;
      left -= piece;
    }
    batch.odd.push_back({at, first, static_cast<uint32_t>(batch.pieces.size()) - first});
  } else {
    reference.granule = granuleOf(address);
  }
  batch.references[at] = reference;
}

} // namespace dprof
