// Stage: trace -> replay. The steps of a lone thread, batch by batch: those that are no plain segments and no loops.
#include "layout/reference_stream.h"

#include <algorithm>

namespace dprof {

ReferenceStream::ReferenceStream(const TraceFile &file, const Plans &plans, const Input &input, uint32_t number,
                                 Lookups *lookups)
    : StepLayout(plans, input, !lookups), number_(number), cpus_(input.cpus),
      core_(cpus_.begin(number, input.machine.cores)), lookups_(lookups),
      decoder_(file, plans, input.threads[number], {input.machine.onePlainCore(), !input.window.asked, true}) {
  if (lookups_) steady_ = std::make_unique<SteadyPaths>(lookups_->known, static_cast<uint32_t>(plans.slots.size()));
}

bool ReferenceStream::next(ReferenceBatch &batch) {
  if (!lookups_) return layOutAll(batch);
  bool isThere;
  try {
    isThere = layOutAll(batch);
    lookUp(batch);
  } catch (...) {
    endAfterError(batch);
    throw;
  }
  lookups_->end(batch);
  return isThere;
}

/// What came before an error is looked up; an error there came first.
void ReferenceStream::endAfterError(ReferenceBatch &batch) {
  lookedUp_ = std::max(lookedUp_, lookups_->at());
  try {
    lookUp(batch);
  } catch (...) {
    lookups_->end(batch);
    throw;
  }
  lookups_->end(batch);
}

/// Looks up what was laid out since.
void ReferenceStream::lookUp(ReferenceBatch &batch) {
  if (lookedUp_ == batch.count && runsLookedUp_ == batch.runs.size()) return;
  lookups_->passTo(lookedUp_);
  lookups_->lookUp(batch);
  lookedUp_ = batch.count;
  runsLookedUp_ = batch.runs.size();
}

bool ReferenceStream::layOutAll(ReferenceBatch &batch) {
  const bool goesOn = begin(batch);
  if (lookups_) {
    lookups_->begin(batch);
    steady_->begin(batch);
    lookedUp_ = 0;
    runsLookedUp_ = 0;
  }
  if (!goesOn) return batch.begins;
  const bool hadEnded = ended_; // the end is said with the batch that met it
  turn(batch, core_, binding_.isBound());
  looped_ = 0;
  auto isUnderWay = [&] { return begun_ || block_.size; }; // a step is laid out to its end before a border
  while ((!isFull(batch) || (isUnderWay() && batch.count < FULL && batch.changes.size() < FULL_CHANGES)) &&
         looped_ < FULL_LOOPED) {
    if (block_.size) {
      takeBlock(batch);
    } else if (loop_.iterations) {
      takeLoop(batch);
    } else if (step_ < steps_.stepCount) {
      if (skips())
        skipPlain();
      else if (isPlain(steps_.steps[step_]))
        takePlain(batch);
      if (step_ < steps_.stepCount && (begun_ || !isFull(batch))) takeStep(batch);
    } else {
      if (!decoder_.next(steps_)) {
        ended_ = true;
        break;
      }
      step_ = event_ = word_ = callPath_ = 0;
    }
  }
  end(batch, !isUnderWay());
  batch.passed = steps_.passed;
  return !hadEnded || batch.count || !batch.changes.empty() || !batch.runs.empty() || batch.begins;
}

// -- plain segments

/// Skips plain segments that follow one another, while no reference is laid out yet.
void ReferenceStream::skipPlain() {
  const uint64_t *words = steps_.words.data() + word_;
  uint64_t highest = 0;
  while (step_ < steps_.stepCount && isRecordStep(steps_.steps[step_]) && limit_) {
    const PlainSegment &segment = segments_[steps_.steps[step_]];
    if (segment.slots == NO_INDEX) break;
    uint64_t references = segment.slots;
    for (uint32_t slot = segment.firstSlot, end = slot + segment.slots; slot != end; slot++, words++) {
      SlotShape shape = shapes_[slot];
      highest |= *words;
      if ((static_cast<uint32_t>(*words) & lineMask_) + shape.reach > lineMask_)
        references += referencesOf(*words, plans_.slots[slot].size) - 1;
    }
    passSkipped(references);
    slotCount_ += segment.slots;
    segmentCount_ += segment.segments;
    time_ += segment.instructions;
    step_++;
  }
  checkedAddress(highest);
  word_ = static_cast<size_t>(words - steps_.words.data());
}

// -- other steps

/// A step that is no plain segment, or the rest of one.
void ReferenceStream::takeStep(ReferenceBatch &batch) {
  stepTime_ = time_;
  uint32_t record = steps_.steps[step_];
  if (record == EVENT_STEP) {
    const Event &event = steps_.events[event_++];
    changeByEvent(batch, number_, event);
    if (cpus_.coreOf.count) move(batch, event);
    see(event, true);
    step_++;
    beginKernelRange(event);
    return;
  }
  if (!isRecordStep(record)) return beginLoop(steps_.loops[record & ~LOOP_STEP]);
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
        batch.changes.back().path = static_cast<uint32_t>(batch.callPaths.size());
        batch.callPaths.push_back(steps_.callPaths[callPath_++]);
      }
    } else if (plan.flags & DPROF_RECORD_ENTRY && !plan.plain)
      change(batch, Change::ENTER, number_, record, words, plan.codedWords);
  }
  for (uint32_t slot = plan.firstSlot; slot < nextSlot_; slot++) words += wordsOfSlot(plans_.slots[slot]);
  const bool looksUp = lookups_ && !skips();
  while (nextSlot_ < end) {
    if (batch.count >= FULL) return; // goes on in the next batch
    uint32_t slot = nextSlot_;
    if (looksUp && isPlainKind(plans_.slots[slot].kind)) {
      tellValue(batch, slot, words);
      takeKnown(batch, slot, *words++);
      nextSlot_++;
      continue;
    }
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
  if (plan.stamped) see(steps_.events[event_], false);
  if (skips()) passSkipped(0);
  event_ += plan.stamped;
  word_ += plan.codedWords;
}

/// Follows an event. A thread that stays on its core takes no line from another, so what binds it matters only here.
void ReferenceStream::move(ReferenceBatch &batch, const Event &event) {
  binding_.see(event);
  if (event.code == DPROF_EVENT_TIME) core_ = cpus_.on(event.cpu, core_);
  turn(batch, core_, binding_.isBound());
}

} // namespace dprof
