// Stage: trace -> replay. Steps are laid out as references, each with its granule.
#include "layout/reference_stream.h"

#include <bit>

namespace dprof {

constexpr uint32_t FULL_LOOPED = 8192;   // references in runs
constexpr uint32_t LEAST_ITERATIONS = 4; // of a run
constexpr int64_t NEAR_STRIDE = 1024;

ReferenceStream::ReferenceStream(const TraceFile &file, const Plans &plans, const Input &input, uint32_t number,
                                 Lookups *lookups)
    : StepLayout(plans, input, !lookups), number_(number), cpus_(input.cpus), core_(cpus_.begin(number, input.machine.cores)),
      lookups_(lookups), decoder_(file, plans, input.threads[number], {input.machine.onePlainCore(), !input.window.asked}) {
  for (const RecordPlan &record : plans.records)
    functions_.push_back({record.function, record.call, static_cast<uint8_t>(record.flags & CallStack::MOVES)});
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
  lookups_->lookUp(batch);
  lookedUp_ = batch.count;
  runsLookedUp_ = batch.runs.size();
}

bool ReferenceStream::layOutAll(ReferenceBatch &batch) {
  const bool goesOn = begin(batch);
  if (lookups_) {
    lookups_->begin(batch);
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
      passCalls(steps_.stepCount);
      if (!decoder_.next(steps_)) {
        ended_ = true;
        break;
      }
      called_ = 0;
      step_ = event_ = word_ = 0;
    }
  }
  end(batch, !isUnderWay());
  batch.passed = decoder_.passed();
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

/// Follows the functions that the thread went through, up to step `end`. Only an allocation, or the end of the decoded
/// steps, needs this.
void ReferenceStream::passCalls(size_t end) {
  const PlainPath *last = nullptr; // it ended where it began
  for (; called_ < end; called_++) {
    uint32_t step = steps_.steps[called_];
    if (isPathStep(step)) {
      const PlainPath *const path = steps_.paths[step & ~PATH_STEP]->plain;
      if (path == last) continue;
      for (const auto &[function, call, flags] : path->calls) calls_.pass(function, flags, call);
      last = path->calls.size() == 1 && path->calls[0].flags == 0 ? path : nullptr;
      continue;
    }
    last = nullptr;
    if (isRecordStep(step)) {
      calls_.pass(functions_[step].function, functions_[step].flags, functions_[step].call);
    } else if (step != EVENT_STEP) { // every iteration leaves the stack as the first one does
      Path &path = *steps_.loops[step & ~LOOP_STEP].path;
      for (uint32_t i = 0; i < path.recordCount; i++) calls_.pass(functions_[path.records()[i]].function, 0, 0);
    }
  }
}

void ReferenceStream::forgetCalls() {
  called_ = step_;
  calls_ = {};
}

/// A step that is no plain segment, or the rest of one.
void ReferenceStream::takeStep(ReferenceBatch &batch) {
  stepTime_ = time_;
  uint32_t record = steps_.steps[step_];
  if (record == EVENT_STEP) {
    const Event &event = steps_.events[event_++];
    changeByEvent(batch, number_, event);
    if (cpus_.coreOf.count) move(batch, event);
    see(event, true);
    if (isGap(event)) forgetCalls();
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
        passCalls(step_ + 1);
        batch.changes.back().path = static_cast<uint32_t>(batch.callPaths.size());
        batch.callPaths.push_back(calls_.path(plan.firstSlot));
      }
    } else if (plan.flags & DPROF_RECORD_ENTRY && !plan.plain)
      change(batch, Change::ENTER, number_, record, words, plan.codedWords);
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

// -- loops

void ReferenceStream::beginLoop(const DecodedLoop &loop) {
  const LoopShape &shape = *loop.path->loop;
  const uint64_t *words = steps_.words.data() + word_;
  uint32_t count = loop.path->wordCount;
  loop_.shape = &shape;
  loop_.iterations = loop.iterations;
  loop_.records = loop.path->records();
  loop_.recordCount = loop.path->recordCount;
  loop_.record = loop_.word = 0;
  loop_.mostReferences = 0;
  for (uint32_t slot : shape.slots) loop_.mostReferences += referencesOf(lineMask_, plans_.slots[slot].size);
  loop_.addresses.assign(words, words + count);
  loop_.strides.assign(words + count, words + 2 * size_t{count});
  step_++;
  word_ += 2 * size_t{count};
}

void ReferenceStream::takeLoop(ReferenceBatch &batch) {
  uint32_t streams = static_cast<uint32_t>(loop_.addresses.size());
  if (streams == 0) return passIterations(static_cast<uint32_t>(std::min<uint64_t>(loop_.iterations, 1 << 30)));
  uint32_t most = static_cast<uint32_t>(std::min<uint64_t>(loop_.iterations, (FULL_LOOPED - looped_) / streams + 1));
  if (uint64_t left = referencesToBorder(batch); left < most * loop_.mostReferences)
    most = static_cast<uint32_t>(left / loop_.mostReferences);
  if (most == 0 || loop_.record) return layOutRecord(batch); // a border may lie in the iteration
  if (skips()) {
    uint64_t references = referencesOfRun(most);
    passIterations(most);
    return passSkipped(references);
  }
  if (uint32_t iterations = streams > LoopRun::MOST_STREAMS ? 0 : layOutRun(batch, most))
    passIterations(iterations);
  else
    layOutIteration(batch);
}

/// The time of changes is exact between iterations only, and nothing changes in a loop.
void ReferenceStream::passIterations(uint32_t count) {
  for (size_t i = 0; i < loop_.addresses.size(); i++) loop_.addresses[i] += count * loop_.strides[i];
  loop_.iterations -= count;
  segmentCount_ += uint64_t{count} * loop_.recordCount;
  slotCount_ += uint64_t{count} * loop_.addresses.size();
  time_ += uint64_t{count} * loop_.shape->instructions;
}

/// As many iterations as go into a run, at most `most`; 0, and nothing laid out, if it is not worth one.
uint32_t ReferenceStream::layOutRun(ReferenceBatch &batch, uint32_t most) {
  uint32_t streams = static_cast<uint32_t>(loop_.addresses.size());
  for (uint32_t i = 0; i < streams; i++) most = std::min(most, iterationsOfStream(i, most));
  if (most < LEAST_ITERATIONS) return 0;
  uint32_t first = static_cast<uint32_t>(batch.streams.size());
  for (uint32_t i = 0; i < streams; i++) layOutStream(batch, i, most);
  batch.runs.push_back({batch.count, static_cast<uint32_t>(batch.changes.size()), first, streams, most, 0,
                        loop_.shape->instructions, time_}); // only now: all its pages are there
  looped_ += most * streams;
  if (countsReferences()) addReferences(referencesOfRun(most));
  return most;
}

static bool isFar(int64_t stride) { return stride > NEAR_STRIDE || stride < -NEAR_STRIDE; }

/// From its next iteration on, for how many the stream is as a run has it.
uint32_t ReferenceStream::iterationsOfStream(uint32_t word, uint32_t most) const {
  uint64_t address = loop_.addresses[word], size = plans_.slots[loop_.shape->slots[word]].size;
  int64_t stride = static_cast<int64_t>(loop_.strides[word]);
  if (size - 1 > lineMask_) return 0;
  if (isFar(stride)) {
    if (std::has_single_bit(size) && ((address | loop_.strides[word]) & (size - 1)) == 0) return most;
    uint32_t count = 0;
    while (count < most && (address & lineMask_) + size - 1 <= lineMask_) {
      address += loop_.strides[word];
      count++;
    }
    return count;
  }
  uint64_t offset = address & (PageMap::pageBytes - 1);
  if (offset + size > PageMap::pageBytes) return 0;
  if (stride == 0) return most;
  uint64_t further = stride > 0 ? (PageMap::pageBytes - size - offset) / static_cast<uint64_t>(stride)
                                : offset / static_cast<uint64_t>(-stride);
  return static_cast<uint32_t>(std::min<uint64_t>(most, further + 1));
}

void ReferenceStream::layOutStream(ReferenceBatch &batch, uint32_t word, uint32_t iterations) {
  uint32_t slot = loop_.shape->slots[word];
  uint64_t address = loop_.addresses[word];
  int64_t stride = static_cast<int64_t>(loop_.strides[word]);
  LoopStream stream{address, stride,        slot, shapes_[slot].store,      plans_.slots[slot].size,
                    0,       isFar(stride), 0,    loop_.shape->before[word]};
  if (stream.far) {
    stream.granule = static_cast<uint32_t>(batch.pieces.size());
    batch.pieces.resize(batch.pieces.size() + iterations);
  }
  batch.streams.push_back(stream);
}

/// All references of the next iterations.
uint64_t ReferenceStream::referencesOfRun(uint32_t iterations) const {
  uint64_t count = 0;
  for (size_t i = 0; i < loop_.addresses.size(); i++) {
    uint64_t address = loop_.addresses[i], size = plans_.slots[loop_.shape->slots[i]].size;
    if (loop_.strides[i] == 0)
      count += iterations * referencesOf(address, size);
    else
      for (uint32_t k = 0; k < iterations; k++, address += loop_.strides[i]) count += referencesOf(address, size);
  }
  return count;
}

/// Room for so many references more.
void ReferenceStream::reserve(ReferenceBatch &batch, size_t references) {
  batch.references.resize(std::max(batch.references.size(), batch.count + references));
  if (timed_) batch.times.resize(batch.references.size());
}

/// Lays out one record of an iteration; a border may lie behind it.
void ReferenceStream::layOutRecord(ReferenceBatch &batch) {
  const RecordPlan &plan = plans_.records[loop_.records[loop_.record]];
  reserve(batch, plan.slotCount);
  stepTime_ = time_;
  for (uint32_t slot = plan.firstSlot; slot < plan.firstSlot + plan.slotCount; slot++)
    append(batch, slot, loop_.addresses[loop_.word++], plans_.slots[slot].size);
  segmentCount_++;
  slotCount_ += plan.slotCount;
  time_ += plan.instructions;
  if (skips()) passSkipped(0);
  if (++loop_.record < loop_.recordCount) return;
  loop_.record = loop_.word = 0;
  for (size_t i = 0; i < loop_.addresses.size(); i++) loop_.addresses[i] += loop_.strides[i];
  loop_.iterations--;
}

/// One iteration as ordinary references.
void ReferenceStream::layOutIteration(ReferenceBatch &batch) {
  reserve(batch, loop_.addresses.size());
  for (size_t i = 0; i < loop_.addresses.size(); i++) {
    uint32_t slot = loop_.shape->slots[i];
    stepTime_ = time_ + loop_.shape->before[i];
    append(batch, slot, loop_.addresses[i], plans_.slots[slot].size);
  }
  passIterations(1);
}

} // namespace dprof
