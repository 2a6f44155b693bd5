// Stage: replay. Recorded order: time stamps decide; between two of a thread, positions interpolate by instruction
// count.
#pragma once

#include <queue>

#include "order/order.h"
#include "order/scout.h"
#include "order/turns.h"

namespace dprof {

/// Step times interpolate between stamps, so each thread is decoded a second time, one stamp ahead.
class StampAhead {
public:
  StampAhead(const TraceFile &file, const Plans &plans, const ThreadChunks &chunks, size_t batchSteps)
      : plans_(plans), decoder_(file, plans, chunks), batchSteps_(batchSteps) {
    find();
  }

  uint64_t timeOf(uint64_t instructions) const {
    if (!hasBefore_) return hasNext_ ? next_ : 0;
    if (!hasNext_ || atNext_ == atBefore_) return before_;
    return before_ + static_cast<uint64_t>(static_cast<unsigned __int128>(next_ - before_) *
                                           (instructions - atBefore_) / (atNext_ - atBefore_));
  }
  void pass() {
    before_ = next_;
    atBefore_ = atNext_;
    hasBefore_ = hasNext_;
    find();
  }

private:
  void find() {
    for (hasNext_ = false;; step_++) {
      if (step_ == batch_.stepCount) {
        if (!decoder_.next(batch_, batchSteps_)) return;
        step_ = event_ = 0;
      }
      uint32_t record = batch_.steps[step_];
      bool stamped = record != EVENT_STEP && plans_.records[record].stamped;
      if (record == EVENT_STEP || stamped) {
        const Event &event = batch_.events[event_++];
        if (hasStamp(event.code)) {
          next_ = event.stamp;
          atNext_ = instructions_;
          hasNext_ = true;
        }
      }
      if (record != EVENT_STEP && plans_.records[record].tag == DPROF_RECORD_SEGMENT)
        instructions_ += plans_.records[record].instructions;
      if (hasNext_) {
        step_++;
        return;
      }
    }
  }
  const Plans &plans_;
  Decoder decoder_;
  const size_t batchSteps_;
  Batch batch_;
  size_t step_ = 0, event_ = 0;
  uint64_t before_ = 0, next_ = 0, atBefore_ = 0, atNext_ = 0, instructions_ = 0;
  bool hasBefore_ = false, hasNext_ = false;
};

template <typename Issuer> class RecordedOrder : public Order {
public:
  RecordedOrder(Issuer &issuer, const TraceFile &file, const Input &input, const Plans &plans,
                std::vector<std::unique_ptr<ThreadRun>> &threads)
      : issuer_(issuer), file_(file), input_(input), plans_(plans), threads_(threads), ahead_(threads.size()) {
    // Whatever its first step is, it has the time of the first stamp; so nothing is decoded of threads that have not
    // begun.
    for (uint32_t i = 0; i < threads.size(); i++) {
      uint64_t first = Scout(file, input.threads[threads[i]->number]).nextStamp();
      turns_.push({first == Scout::NO_STAMP ? 0 : first, i});
    }
  }

  void run() override {
    while (!turns_.empty() && !issuer_.isFull()) {
      uint32_t index = turns_.top().index;
      turns_.pop();
      ThreadRun &thread = *threads_[index];
      if (taken_++ % 4096 == 0) issuer_.reportProgress(passed(threads_));
      if (!thread.hasBegun()) {
        ahead_[index] =
            std::make_unique<StampAhead>(file_, plans_, input_.threads[thread.number], stepsPerBatch(++open_));
        if (!ready(index)) continue;
      }
      bool stamped = stampOf(thread) != nullptr;
      issuer_.issue(thread);
      if (stamped) ahead_[index]->pass();
      queue(index);
    }
  }

private:
  const Event *stampOf(ThreadRun &thread) const {
    uint32_t record = thread.record();
    if (record != EVENT_STEP && !plans_.records[record].stamped) return nullptr;
    return hasStamp(thread.event().code) ? &thread.event() : nullptr;
  }
  bool ready(uint32_t index) {
    if (threads_[index]->ready()) return true;
    ahead_[index].reset();
    open_--;
    return false;
  }
  void queue(uint32_t index) {
    if (!ready(index)) return;
    ThreadRun &thread = *threads_[index];
    const Event *stamp = stampOf(thread);
    turns_.push({stamp ? stamp->stamp : ahead_[index]->timeOf(thread.clock), index});
  }

  Issuer &issuer_;
  const TraceFile &file_;
  const Input &input_;
  const Plans &plans_;
  std::vector<std::unique_ptr<ThreadRun>> &threads_;
  std::vector<std::unique_ptr<StampAhead>> ahead_; // of the open ones: those that have begun and not ended
  size_t open_ = 0;
  Turns turns_;
  uint64_t taken_ = 0;
};

} // namespace dprof
