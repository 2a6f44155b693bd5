// Stage: trace -> placing. Looks at decoded steps before their turn comes and fetches what their addresses will be
// looked up in: of many objects, each look-up would wait for memory three times in a row.
#pragma once

#include <algorithm>
#include <array>

#include "order/thread_run.h"
#include "placing/tracked_objects.h"

namespace dprof {

class StepsAhead {
public:
  StepsAhead(const Plans &plans, TrackedObjects &objects) : plans_(plans), objects_(objects) {}
  /// Of so few objects, all are in the host's caches.
  static constexpr size_t FEW_OBJECTS = 64;

  /// Before the thread's step is issued. `fetch(object)`: what is kept by an object's number.
  template <typename Fetch> void look(const ThreadRun &thread, Fetch fetch) {
    const uint32_t *const end = thread.stepsEnd();
    if (thread.batches() != batch_ || step_ < thread.step()) {
      batch_ = thread.batches();
      step_ = thread.step();
      words_ = thread.words();
    }
    const uint32_t *const until = thread.step() + std::min(end - thread.step(), STEPS);
    for (; step_ < until; step_++) pass(thread, fetch);
  }

private:
  static constexpr ptrdiff_t STEPS = 24;
  static constexpr size_t RING = 32, FIRST = 6, SECOND = 12; // addresses between one fetch and what it leads to
  static constexpr size_t MOST = 4;                          // of a step

  template <typename Fetch> void pass(const ThreadRun &thread, Fetch fetch) {
    const uint32_t step = *step_;
    if (step == EVENT_STEP) return;
    if (isPathStep(step)) {
      const PlainPath &path = thread.pathAt(step);
      for (size_t i = 0, count = std::min(MOST, path.runs.size()); i < count; i++)
        note(path.runs[i].source.of(words_), fetch);
      words_ += path.codedWords;
    } else if (!isRecordStep(step)) {
      words_ += 2 * size_t{thread.loopAt(step).path->wordCount};
    } else {
      const RecordPlan &plan = plans_.records[step];
      if (plan.plain || plan.tag != DPROF_RECORD_SEGMENT)
        for (size_t i = 0, count = std::min<size_t>(plan.plain ? MOST : 1, plan.codedWords); i < count; i++)
          note(words_[i], fetch);
      words_ += plan.codedWords;
    }
  }
  template <typename Fetch> void note(uint64_t address, Fetch fetch) {
    ring_[at_ % RING] = objects_.fetchGranule(address);
    objects_.fetchObject(ring_[(at_ - FIRST) % RING]);
    if (const LiveObject *object = objects_.near(ring_[(at_ - SECOND) % RING])) fetch(object->id);
    at_++;
  }

  const Plans &plans_;
  TrackedObjects &objects_;
  uint64_t batch_ = 0;
  const uint32_t *step_ = nullptr; // the next one that was not looked at
  const uint64_t *words_ = nullptr;
  std::array<uint32_t, RING> ring_{}; // granules
  size_t at_ = RING;
};

} // namespace dprof
