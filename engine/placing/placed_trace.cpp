// Stage: trace -> placing. Each step is written once for each way.
#include "placing/placed_trace.h"

namespace dprof {

void PlacedTraces::record(uint32_t thread, const RecordPlan &plan, const uint64_t *words, const Event *stamp) {
  const bool isKept = clock_.isIn() || stamp || plan.tag != DPROF_RECORD_SEGMENT;
  clock_.pass(plan.slotCount);
  if (!isKept && !movesFrames(plan, plans_.slots)) return;
  for (const std::unique_ptr<Way> &way : ways) {
    PlacedStep &step = way->step;
    step.placement.thread = thread;
    isKept ? step.take(plan, words) : step.skim(plan, words);
    Event placed;
    if (stamp) {
      placed = *stamp;
      step.placement.event(placed);
    }
    way->file.thread(thread).path(step.record, step.words.data(), static_cast<uint32_t>(step.words.size()),
                                  stamp ? &placed : nullptr);
  }
}

void PlacedTraces::event(uint32_t thread, const Event &event) {
  for (const std::unique_ptr<Way> &way : ways) {
    Event placed = event;
    way->step.placement.thread = thread;
    way->step.placement.event(placed);
    way->file.thread(thread).event(placed);
  }
}

} // namespace dprof
