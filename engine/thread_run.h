// Stage: replay. One thread of the trace on its way: where it is in its steps, its clock, the locks it holds.
#pragma once

#include <unordered_map>

#include "ahead.h"
#include "call_stack.h"
#include "decoder.h"

namespace dprof {

struct SyncObject {
  uint64_t number;
  uint8_t kind;
  bool operator==(const SyncObject &) const = default;
};
struct SyncHash {
  size_t operator()(const SyncObject &object) const { return (object.number ^ uint64_t{object.kind} << 56) * 0x9e3779b97f4a7c15ull >> 7; }
};

struct DecodedSteps {
  Batch batch;
  uint64_t bytesRead = 0; // of the thread's chunks
};

/// What its references and events depend on.
struct ThreadState {
  const uint32_t number;
  const uint16_t core;
  uint64_t clock = 0;
  CallStack calls = {};
  uint64_t heldCount = 0; // mutexes, rwlocks, spinlocks, semaphores
};

class ThreadRun : public ThreadState {
public:
  using Lane = Ahead<DecodedSteps>::Lane;
  /// Opens the lane of its steps: when the first one is asked for, for a thread that has not begun holds nothing.
  using Open = std::function<Lane *(uint32_t number)>;
  ThreadRun(Ahead<DecodedSteps> &steps, const Open &open, uint32_t number, uint16_t core) : ThreadState{number, core}, steps_(steps), open_(open) {}

  /// True if there is a step; it is `record()`, or the event `event()` if that is EVENT_STEP.
  bool ready() { return step_ < stepCount_ || nextBatch(); }
  bool hasBegun() const { return lane_ || ended_; }
  uint32_t record() const { return batch_->steps[step_]; }
  const Event &event() const { return batch_->events[event_]; }
  const uint64_t *words() const { return batch_->words.data() + words_; }
  uint64_t bytesRead() const { return bytesRead_; }
  void passEvent() {
    step_++;
    event_++;
  }
  void passRecord(const RecordPlan &plan) {
    step_++;
    event_ += plan.stamped;
    words_ += plan.codedWords;
  }

  void countLocks(const Event &event) {
    bool lock = event.detail == DPROF_SYNC_MUTEX || event.detail == DPROF_SYNC_RWLOCK || event.detail == DPROF_SYNC_SPINLOCK || event.detail == DPROF_SYNC_SEMAPHORE;
    if (!lock || (event.code != DPROF_EVENT_ACQUIRE && event.code != DPROF_EVENT_RELEASE)) return;
    uint64_t &held = held_[{event.address, event.detail}];
    if (event.code == DPROF_EVENT_ACQUIRE) {
      held++;
      heldCount++;
    } else if (held) {
      held--;
      heldCount--;
    }
    if (!held) held_.erase({event.address, event.detail});
  }

  bool waited = false;    // an acquire had to wait or raised the clock since the last segment

private:
  [[gnu::noinline]] bool nextBatch() {
    if (ended_) return false;
    if (!lane_) lane_ = open_(number);
    step_ = event_ = words_ = stepCount_ = 0;
    const DecodedSteps *next = steps_.next(lane_);
    if (!next) return end();
    batch_ = &next->batch;
    stepCount_ = batch_->stepCount;
    bytesRead_ = next->bytesRead;
    return true;
  }
  /// Nothing is kept of it but numbers.
  bool end() {
    ended_ = true;
    lane_ = nullptr;
    calls = {};
    decltype(held_)().swap(held_);
    return false;
  }

  Ahead<DecodedSteps> &steps_;
  const Open &open_;
  Lane *lane_ = nullptr;
  const Batch *batch_ = nullptr;
  size_t step_ = 0, stepCount_ = 0, event_ = 0, words_ = 0;
  uint64_t bytesRead_ = 0;
  bool ended_ = false;
  std::unordered_map<SyncObject, uint64_t, SyncHash> held_;
};

} // namespace dprof
