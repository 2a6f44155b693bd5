// Stage: trace -> replay. Steps are laid out as references, each with its granule.
#include "reference_stream.h"

namespace dprof {

ReferenceStream::ReferenceStream(const TraceFile &file, const Plans &plans, const Input &input, uint32_t number)
    : StepLayout(plans, input.machine), number_(number), core_(static_cast<uint16_t>(number % input.machine.cores)),
      decoder_(file, plans, input.threads[number]) {
  for (const RecordPlan &record : plans.records) functions_.push_back({record.function, record.flags});
}

bool ReferenceStream::next(ReferenceBatch &batch) {
  clear(batch);
  turn(batch, core_, false);
  while (!isFull(batch)) {
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

/// The functions that the thread went through, up to step `end`: looked at only where an allocation, or the end of what is decoded, asks.
void ReferenceStream::passCalls(size_t end) {
  for (; called_ < end; called_++)
    if (uint32_t record = steps_.steps[called_]; record != EVENT_STEP) calls_.pass(functions_[record].function, functions_[record].flags);
}

/// A step that is no plain segment, or the rest of one.
void ReferenceStream::takeStep(ReferenceBatch &batch) {
  uint32_t record = steps_.steps[step_];
  if (record == EVENT_STEP) {
    const Event &event = steps_.events[event_++];
    changeByEvent(batch, number_, event);
    step_++;
    beginKernelRange(event);
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
      change(batch, Change::OBJECT_RECORD, number_, record, words, plan.codedWords);
      if (plan.tag == DPROF_RECORD_ALLOCATION) {
        passCalls(step_ + 1);
        batch.changes.back().path = calls_.path();
      }
    }
    else if (plan.flags & DPROF_RECORD_ENTRY && !plan.plain) change(batch, Change::ENTER, number_, record, words, plan.codedWords);
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
  if (closesFrame(plan)) change(batch, Change::LEAVE, number_, record, words, 0);
  begun_ = false;
  step_++;
  event_ += plan.stamped;
  word_ += plan.codedWords;
}

} // namespace dprof
