// Stage: replay. One thread of the trace on its way: where it is in its steps, its clock, the locks it holds.
#pragma once

#include <unordered_map>

#include "decoder.h"
#include "hierarchy.h"

namespace dprof {

struct SyncObject {
  uint64_t number;
  uint8_t kind;
  bool operator==(const SyncObject &) const = default;
};
struct SyncHash {
  size_t operator()(const SyncObject &object) const { return (object.number ^ uint64_t{object.kind} << 56) * 0x9e3779b97f4a7c15ull >> 7; }
};

class ThreadRun {
public:
  ThreadRun(const TraceFile &file, const Plans &plans, const ThreadChunks &chunks, uint32_t number, Hierarchy::Core &core)
      : number(number), core(core), decoder(file, plans, chunks) {}

  /// True if there is a step; it is `record()`, or the event `event()` if that is EVENT_STEP.
  bool ready() {
    if (step_ < batch_.stepCount) return true;
    if (ended_) return false;
    step_ = event_ = 0;
    words_ = 0;
    ended_ = !decoder.next(batch_);
    return !ended_;
  }
  uint32_t record() const { return batch_.steps[step_]; }
  const Event &event() const { return batch_.events[event_]; }
  const uint64_t *words() const { return batch_.words.data() + words_; }
  /// The steps that are decoded and not passed.
  size_t stepsDecoded() const { return batch_.stepCount - step_; }
  const uint32_t *steps() const { return batch_.steps.data() + step_; }
  void passPlain(size_t steps, const uint64_t *upTo) {
    step_ += steps;
    words_ = static_cast<size_t>(upTo - batch_.words.data());
  }
  void passEvent() {
    step_++;
    event_++;
  }
  void passRecord(const RecordPlan &plan) {
    step_++;
    event_ += plan.stamped;
    words_ += plan.codedWords;
  }

  void acquire(uint8_t kind, uint64_t object) {
    held_[{object, kind}]++;
    heldCount++;
  }
  void release(uint8_t kind, uint64_t object) {
    auto found = held_.find({object, kind});
    if (found == held_.end()) return;
    if (--found->second == 0) held_.erase(found);
    heldCount--;
  }

  const uint32_t number;
  Hierarchy::Core &core;
  Decoder decoder;
  uint64_t clock = 0;
  uint64_t heldCount = 0; // mutexes, rwlocks, spinlocks, semaphores
  bool waited = false;    // an acquire had to wait or raised the clock since the last segment

private:
  Batch batch_;
  size_t step_ = 0, event_ = 0, words_ = 0;
  bool ended_ = false;
  std::unordered_map<SyncObject, uint64_t, SyncHash> held_;
};

} // namespace dprof
