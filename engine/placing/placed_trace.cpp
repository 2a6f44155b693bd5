// Stage: trace -> placing. Each step is written once for each way.
#include "placing/placed_trace.h"

namespace dprof {

PlacedTraces::Way::Way(const Input &input, const Plans &plans, TrackedObjects &objects, const Changes &changes,
                       const std::string &folder)
    : variants(input), step(plans, objects, changes.placed, variants), file(folder, input.threads.size()) {
  if (changes.loops.tileOf.count == 0) return;
  orders.reserve(input.threads.size());
  for (uint32_t thread = 0; thread < input.threads.size(); thread++)
    orders.emplace_back(plans, changes.loops, file, thread);
}

uint64_t PlacedTraces::Way::moved() const {
  uint64_t sum = 0;
  for (const IterationOrder &order : orders) sum += order.moved;
  return sum;
}

/// One that refuses a step takes no more.
template <typename Work> void PlacedTraces::eachWay(Work work) {
  for (const std::unique_ptr<Way> &way : ways) {
    if (way->ends()) [[unlikely]]
      continue;
    try {
      work(*way);
    } catch (const SeparatedError &error) {
      way->separated = error.slot;
    } catch (const ScatteredError &error) {
      way->scattered = error.slot;
    } catch (const DependenceError &error) {
      way->outOfOrder = error.slot;
    }
  }
}

void PlacedTraces::run() {
  TrackedWalk::run();
  eachWay([](Way &way) {
    for (IterationOrder &order : way.orders) order.flush();
  });
}

void PlacedTraces::record(uint32_t thread, const RecordPlan &plan, const uint64_t *words, const Event *stamp) {
  const bool isIn = clock_.isIn(), isKept = isIn || stamp || plan.tag != DPROF_RECORD_SEGMENT;
  clock_.pass(plan.slotCount);
  const bool isWritten = isKept || movesFrames(plan, plans_.slots);
  if (!frames_.empty()) {
    if (isIn || plan.tag == DPROF_RECORD_ALLOCATION) catchUp(thread);
    frames_[thread].pass(plan, isWritten);
  }
  if (!isWritten) return;
  eachWay([&](Way &way) {
    PlacedStep &step = way.step;
    step.placement.thread = thread;
    isKept ? step.take(plan, words) : step.skim(plan, words);
    Event placed;
    if (stamp) {
      placed = *stamp;
      step.placement.event(placed);
    }
    const Event *ownStamp = stamp ? &placed : nullptr;
    if (!way.orders.empty()) return way.orders[thread].step(plan, words, step, ownStamp);
    step.writeTo(way.file.thread(thread), ownStamp);
  });
}

void PlacedTraces::catchUp(uint32_t thread) {
  frames_[thread].catchUp([&](uint32_t function, uint8_t flags, uint32_t call) {
    eachWay([&](Way &way) {
      way.file.thread(thread).path(way.variants.move({function, flags, call}), nullptr, 0, nullptr);
    });
  });
}

void PlacedTraces::event(uint32_t thread, const Event &event) {
  if (!frames_.empty() && isGap(event)) frames_[thread].forget();
  eachWay([&](Way &way) {
    Event placed = event;
    way.step.placement.thread = thread;
    way.step.placement.event(placed);
    way.orders.empty() ? way.file.thread(thread).event(placed) : way.orders[thread].event(placed);
  });
}

} // namespace dprof
