// Stage: trace -> placing. Each step is written once for each way.
#include "placing/placed_trace.h"

namespace dprof {

void PlacedTraces::record(uint32_t thread, const RecordPlan &plan, const uint64_t *words, const Event *stamp) {
  for (const std::unique_ptr<Way> &way : ways) {
    PlacedStep &step = way->step;
    step.take(plan, words);
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
    way->step.placement.event(placed);
    way->file.thread(thread).event(placed);
  }
}

} // namespace dprof
