// Stage: replay. One thread of the trace on its way: its position in its steps, its clock, what binds its order.
#pragma once

#include <memory>

#include "trace/call_stack.h"
#include "trace/decoder.h"
#include "trace/order_binding.h"
#include "trace/place_steps.h"

namespace dprof {

/// The source of all threads' steps. If many threads are under way at a time, each holds less.
struct StepSource {
  const TraceFile &file;
  const Plans &plans;
  const Input &input;
  size_t open = 0; // threads under way
  /// What becomes one step, if whoever takes the steps knows how: only without processes.
  Decoder::Whole whole = {};
};

/// The state on which a thread's references and events depend.
struct ThreadState {
  const uint32_t number;
  uint16_t core;
  uint64_t clock = 0;
  CallStack calls = {};
  OrderBinding binding = {};
};

class ThreadRun : public ThreadState {
public:
  ThreadRun(StepSource &source, uint32_t number, uint16_t core) : ThreadState{number, core}, source_(source) {}

  /// True if there is a step; it is `record()`, or the event `event()` if that is EVENT_STEP.
  bool ready() { return step_ != stepsEnd_ || nextBatch(); }
  /// The same, without decoding more.
  bool isReady() const { return step_ != stepsEnd_; }
  /// No step is there, but more may come.
  bool isOpen() const { return source_.input.threads[number].outlook.isOpen; }
  const Outlook &outlook() const { return source_.input.threads[number].outlook; }
  bool hasBegun() const { return steps_ || ended_; }
  uint32_t record() const { return *step_; }
  const Event &event() const { return *event_; }
  const uint64_t *words() const { return words_; }
  uint64_t passed() const { return steps_ ? steps_->decoder.passed() : passed_; }
  void passEvent() {
    step_++;
    event_++;
  }
  void passRecord(const RecordPlan &plan) {
    step_++;
    event_ += plan.stamped;
    words_ += plan.codedWords;
  }
  /// The next step, and the end of those that are decoded.
  const uint32_t *step() const { return step_; }
  const uint32_t *stepsEnd() const { return stepsEnd_; }
  /// How often steps were decoded so far: each time the ones before are gone.
  uint64_t batches() const { return batches_; }
  /// Of a decoded step that is a path, or a loop.
  const PlainPath &pathAt(uint32_t step) const { return *steps_->batch.paths[step & ~PATH_STEP]; }
  const DecodedLoop &loopAt(uint32_t step) const { return steps_->batch.loops[step & ~LOOP_STEP]; }
  void passWhole(uint64_t words) {
    step_++;
    words_ += words;
  }
  /// A plain record without a stamp has a word for each slot.
  void passPlain(uint32_t slots) {
    step_++;
    words_ += slots;
  }

  bool runs = false;           // it issued a step since it began, waited or was raised
  bool began = false;          // it issued a step
  std::optional<uint64_t> key; // of its last issued stamp
  uint64_t raised = 0;         // by how much the acquire of the event at hand raised the clock
  bool waited = false;         // an acquire had to wait or raised the clock since the last segment

private:
  struct Steps {
    Decoder decoder;
    Batch batch;
    SpaceCursor space;
  };
  /// A thread that has not begun holds nothing, and one that has ended holds only numbers.
  [[gnu::noinline]] bool nextBatch() {
    if (ended_) return false;
    if (!steps_) begin();
    step_ = stepsEnd_ = nullptr;
    batches_++;
    const ThreadChunks &chunks = source_.input.threads[number];
    if (!named(chunks, [&] { return steps_->decoder.next(steps_->batch, stepsPerBatch(source_.open)); }))
      return chunks.outlook.isOpen ? false : end();
    if (chunks.process) placeSteps(steps_->space, source_.plans, steps_->batch);
    const Batch &batch = steps_->batch;
    step_ = batch.steps.data();
    stepsEnd_ = step_ + batch.stepCount;
    event_ = batch.events.data();
    words_ = batch.words.data();
    return true;
  }
  void begin() {
    const ThreadChunks &chunks = source_.input.threads[number];
    steps_.reset(new Steps{Decoder(source_.file, source_.plans, chunks, source_.whole), {}, SpaceCursor(chunks)});
    source_.open++;
  }
  bool end() {
    passed_ = steps_->decoder.passed();
    steps_.reset();
    source_.open--;
    ended_ = true;
    calls = {};
    binding.forget();
    return false;
  }

  StepSource &source_;
  std::unique_ptr<Steps> steps_;
  const uint32_t *step_ = nullptr, *stepsEnd_ = nullptr; // the next, and the end of those that are decoded
  const Event *event_ = nullptr;
  const uint64_t *words_ = nullptr;
  uint64_t passed_ = 0, batches_ = 0;
  bool ended_ = false;
};

} // namespace dprof
