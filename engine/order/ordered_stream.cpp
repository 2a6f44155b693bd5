// Stage: trace -> replay. Steps are issued: laid out behind one another, whatever their thread.
#include "order/ordered_stream.h"

#include "order/logical_order.h"
#include "order/random_order.h"
#include "order/recorded_order.h"

namespace dprof {

OrderedStream::OrderedStream(const TraceFile &file, const Plans &plans, const Input &input,
                             const std::vector<uint32_t> &numbers)
    : StepLayout(plans, input, true), lives_(input), changes_(plans, lives_),
      keepsLives_(input.schedule.kind != Schedule::RECORDED), source_{file, plans, input},
      renames_(input.processes.size()) {
  callers_.functions.fill(NO_INDEX);
  for (uint32_t number : numbers)
    threads_.push_back(std::make_unique<ThreadRun>(source_, number, input.cpus.begin(number, input.machine.cores)));
  auto waits = [&](Renames *renames) {
    return std::make_unique<SyncWaits>(file, input, plans, threads_, renames, parallelism_);
  };
  switch (input.schedule.kind) {
    case Schedule::RECORDED:
      order_ = std::make_unique<RecordedOrder<OrderedStream>>(*this, file, input, plans, threads_);
      break;
    case Schedule::RANDOM:
      order_ = std::make_unique<RandomOrder<OrderedStream>>(*this, waits(nullptr), threads_, input.schedule.seed);
      break;
    default: order_ = std::make_unique<LogicalOrder<OrderedStream>>(*this, waits(&renames_), threads_);
  }
}

bool OrderedStream::next(ReferenceBatch &batch) {
  batch_ = &batch;
  batch.waited = waitedCount_;
  const bool goesOn = begin(batch);
  if (batch.begins) parallelism_.restart(time_);
  if (!goesOn) return batch.begins;
  batch.callers.clear();
  if (plans_.callers) batch.callers.push_back({0, callers_.functions}); // of what the last batch had no room for
  takeRest();
  if (!isFull()) order_->run();
  const bool stopped = std::exchange(stopped_, false);
  const bool hadEnded =
      std::exchange(ended_, !stopped && !isFull()) || stopped; // the end is said with the batch that met it
  end(batch, !rest_.plan && !block_.size);
  batch.waited = waitedCount_;
  batch.passed = passed_;
  return !hadEnded || batch.count || !batch.changes.empty() || batch.begins;
}

const ParallelismTable &OrderedStream::parallelism() {
  if (isAhead(ReplayWindow::FROM)) parallelism_.restart(time_);
  parallelism_.finish(time_);
  return parallelism_.table;
}

void OrderedStream::run(ThreadRun &thread) {
  thread.runs = true;
  parallelism_.run(thread.clock);
  if (!std::exchange(thread.began, true)) parallelism_.began();
}

/// Replay time is the largest clock so far.
inline void OrderedStream::passTime(ThreadRun &thread, uint32_t slots, uint32_t instructions) {
  segmentCount_++;
  waitedCount_ += thread.waited;
  thread.waited = false;
  slotCount_ += slots;
  thread.clock += instructions;
  time_ = std::max(time_, thread.clock);
}

/// The accesses of a plain record. Of words in a row in one page, the first alone asks where it lies.
template <bool Timed> inline void OrderedStream::issuePlain(uint32_t firstSlot, uint32_t slots, const uint64_t *words) {
  ReferenceBatch &batch = *batch_;
  const uint64_t time = stepTime_ = time_;
  const uint32_t lineMask = lineMask_;
  const SlotShape *const shapes = shapes_.data() + firstSlot;
  Reference *const references = batch.references.data();
  uint64_t *const times = batch.times.data();
  uint32_t at = batch.count, frame = 0;
  uint64_t page = ~uint64_t{0}; // is none
  for (uint32_t i = 0; i < slots; i++) {
    const uint64_t address = words[i];
    const SlotShape shape = shapes[i];
    if (PageMap::pageOf(address) != page) {
      page = PageMap::pageOf(address);
      frame = pages_.findNear(page);
    }
    if (!frame || (static_cast<uint32_t>(address) & lineMask) + shape.reach > lineMask) [[unlikely]] {
      batch.count = at;
      append(batch, shape.slot, address, plans_.slots[shape.slot].size);
      at = batch.count;
      page = ~uint64_t{0};
      continue;
    }
    if constexpr (Timed) times[at] = time;
    references[at++] = {address, shape.slot, shape.size, shape.store, PageMap::granule(frame, address)};
  }
  batch.count = at;
}

/// `hasOwnFrame`: the innermost frame is that of the function whose references come.
void OrderedStream::tellCallers(const ThreadRun &thread, bool hasOwnFrame) {
  const CallStack &calls = thread.calls;
  CallersStart callers{batch_->count, {}};
  const size_t depth = calls.depth() - (hasOwnFrame && calls.depth() > 0);
  for (size_t i = 0; i < CallersStart::MOST; i++)
    callers.functions[i] = i < depth ? calls.frame(depth - i).function : NO_INDEX;
  if (callers.functions == callers_.functions) return;
  callers_ = callers;
  batch_->callers.push_back(callers);
}

void OrderedStream::issue(ThreadRun &thread) {
  if (!thread.runs) [[unlikely]]
    run(thread);
  turn(*batch_, thread.core, thread.binding.isBound());
  ofThread(*batch_, thread.number);
  uint32_t record = thread.record();
  if (record == EVENT_STEP) return issueEvent(thread);
  const RecordPlan &plan = plans_.records[record];
  if (watch_) [[unlikely]]
    watch_(thread.number, record, plan);
  thread.calls.pass(plan);
  if (plans_.callers) tellCallers(thread, plan.function && !(plan.flags & DPROF_RECORD_EXIT));
  if (plan.stamped) thread.key = thread.event().stamp;
  const uint64_t *words = renames_.isEmpty() ? thread.words() : placed(thread, plan);
  if (plan.plain && !skips()) [[likely]] {
    timed_ ? issuePlain<true>(plan.firstSlot, plan.slotCount, words)
           : issuePlain<false>(plan.firstSlot, plan.slotCount, words);
    if (plan.segments()) [[likely]]
      passTime(thread, plan.slotCount, plan.instructions);
    if (plan.stamped && countsReferences()) see(thread.event(), false);
  } else if (const PlainSegment &segment = segments_[record]; segment.slots != NO_INDEX) {
    skipPlain(segment, words);
    if (segment.segments) passTime(thread, segment.slots, segment.instructions);
  } else {
    issueRecord(thread, record, plan, words);
    if (plan.stamped) see(thread.event(), false);
    if (skips()) passSkipped(0);
  }
  thread.passRecord(plan);
}

/// Plain steps leave the core, the locks that the thread holds and the changes as they are.
template <bool Timed> inline void OrderedStream::issuePlainSteps(ThreadRun &thread, uint64_t until) {
  turn(*batch_, thread.core, thread.binding.isBound());
  ofThread(*batch_, thread.number);
  const PlainSegment *const segments = segments_.data();
  const PlainSegment *segment = segments + thread.record();
  do {
    if (segment->moves == 0 && segment->function == thread.calls.top()->function) [[likely]]
      thread.calls.top()->call = segment->call;
    else
      thread.calls.pass(segment->function, segment->moves, segment->call);
    if (plans_.callers) [[unlikely]]
      tellCallers(thread, segment->function && !(segment->moves & DPROF_RECORD_EXIT));
    issuePlain<Timed>(segment->firstSlot, segment->slots, thread.words());
    if (segment->segments) [[likely]]
      passTime(thread, segment->slots, segment->instructions);
    thread.passPlain(segment->slots);
    if (thread.clock >= until || batch_->count >= limit_ || !thread.isReady() || thread.record() == EVENT_STEP) break;
    segment = segments + thread.record();
  } while (segment->slots != NO_INDEX);
}

bool OrderedStream::issuePlain(ThreadRun &thread, uint64_t until) {
  if (!thread.isReady() || !thread.runs || !isPlain(thread.record()) || skips() || !renames_.isEmpty() || watch_)
    return false;
  timed_ ? issuePlainSteps<true>(thread, until) : issuePlainSteps<false>(thread, until);
  return true;
}

/// The words of the thread's step, their addresses moved to where the memory is.
const uint64_t *OrderedStream::placed(const ThreadRun &thread, const RecordPlan &plan) {
  if (!thread.key) return thread.words();
  placed_.assign(thread.words(), thread.words() + plan.codedWords);
  placeRecord(RenamedSpace{renames_, *thread.key}, plans_, plan, placed_.data());
  return placed_.data();
}

void OrderedStream::skipPlain(const PlainSegment &segment, const uint64_t *words) {
  for (uint32_t slot = segment.firstSlot, end = slot + segment.slots; slot != end; slot++)
    append(*batch_, slot, *words++, plans_.slots[slot].size);
  passSkipped(0);
}

void OrderedStream::issueEvent(ThreadRun &thread) {
  stepTime_ = time_;
  Event event = thread.event();
  if (hasStamp(event.code)) thread.key = event.stamp;
  const Event recorded = event;
  if (!renames_.isEmpty() && thread.key) renames_.place(event, *thread.key);
  see(event, true);
  thread.binding.see(event);
  if (isGap(event)) thread.calls = {};
  if (isOfLock(event))
    batch_->lockSteps.push_back(
        {thread.clock, thread.raised, event.code == DPROF_EVENT_ACQUIRE ? thread.calls.path() : CallStack::Path{}});
  if (event.code == DPROF_EVENT_TIME) thread.core = source_.input.cpus.on(event.cpu, thread.core);
  if (event.text) { // its thread's
    bool kept = event.code == DPROF_EVENT_MARK && event.detail == DPROF_MARK_PHASE &&
                (marks_.size() < EventReader::MOST_MARKS || marks_.contains(*event.text));
    event.text = kept ? &*marks_.insert(*event.text).first : nullptr;
  }
  changeByEvent(*batch_, thread.number, event);
  if (keepsLives_) changes_.event(thread.number, event, time_);
  if (plans_.callers) tellCallers(thread, false);
  beginKernelRange(event);
  takeBlock(*batch_);
  if (endsMemory(recorded)) renames_.end(recorded.address, recorded.stamp);
  thread.passEvent();
}

void OrderedStream::issueRecord(ThreadRun &thread, uint32_t record, const RecordPlan &plan, const uint64_t *words) {
  stepTime_ = time_;
  if (plan.tag == DPROF_RECORD_SEGMENT) {
    if (plan.flags & DPROF_RECORD_ENTRY && !plan.plain) {
      change(*batch_, Change::ENTER, thread.number, record, words, plan.codedWords);
      if (keepsLives_) changes_.enter(thread.number, plan, words, time_);
    }
    passTime(thread, plan.slotCount, plan.instructions);
    takeSlots(thread.number, plan, plan.firstSlot, words);
    return;
  }
  change(*batch_, Change::OBJECT_RECORD, thread.number, record, words, plan.codedWords);
  if (plan.tag == DPROF_RECORD_ALLOCATION) {
    batch_->changes.back().path = static_cast<uint32_t>(batch_->callPaths.size());
    batch_->callPaths.push_back(thread.calls.path(plan.firstSlot));
  }
  if (keepsLives_) changes_.record(thread.number, plan, words, 0, time_);
  takeSlots(thread.number, plan, plan.firstSlot + plan.slotCount, words);
}

/// The step's accesses from the slot on, and its end, if there is room.
void OrderedStream::takeSlots(uint32_t thread, const RecordPlan &plan, uint32_t slot, const uint64_t *words) {
  const uint32_t end = plan.firstSlot + plan.slotCount;
  while (slot < end && batch_->count < FULL && !block_.size) {
    bool copies = plans_.slots[slot].kind == DPROF_SLOT_COPY_LOAD;
    words = takeSlot(*batch_, slot, words);
    slot += copies ? 2 : 1;
    takeBlock(*batch_);
  }
  if (slot < end || block_.size) {
    size_t left = 0;
    for (uint32_t next = slot; next < end; next++) left += wordsOfSlot(plans_.slots[next]);
    rest_.words.assign(words, words + left);
    rest_.plan = &plan;
    rest_.thread = thread;
    rest_.slot = slot;
    return;
  }
  if (!closesFrame(plan)) return;
  uint32_t record = static_cast<uint32_t>(&plan - plans_.records.data());
  change(*batch_, Change::LEAVE, thread, record, nullptr, 0);
  if (keepsLives_) lives_.leaveFrame(thread, plan.function, time_);
}

void OrderedStream::takeRest() {
  takeBlock(*batch_);
  if (block_.size || !rest_.plan) return;
  Rest rest;
  std::swap(rest, rest_);
  takeSlots(rest.thread, *rest.plan, rest.slot, rest.words.data());
}

} // namespace dprof
