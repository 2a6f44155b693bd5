// Stage: trace -> placing. Each step is written once for each way.
#include "placing/placed_trace.h"

namespace dprof {

PlacedTraces::Way::Way(const Input &input, const Plans &plans, TrackedObjects &objects, const Changes &changes,
                       const std::string &folder, uint32_t loopCount)
    : variants(input), step(plans, objects, changes.placed, variants), file(folder, input.threads.size(), loopCount) {
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

/// What no excerpt has is passed at once; markers are in all of them.
bool PlacedTraces::path(uint32_t thread, const PlainPath &path, const uint64_t *) {
  if (clock_.isIn() || path.counts.segments != path.records.size() || !clock_.stays(path.counts.slots)) return false;
  clock_.pass(path.counts.slots);
  if (!frames_.empty()) frames_[thread].pass(path);
  return true;
}

bool PlacedTraces::loop(uint32_t thread, const DecodedLoop &loop, const uint64_t *words) {
  Path &iteration = *loop.path;
  const uint64_t slots = loop.iterations * iteration.wordCount;
  const uint32_t *const records = iteration.records(), *const end = records + iteration.recordCount;
  auto isSegment = [this](uint32_t record) { return plans_.records[record].segments() != 0; };
  if (!clock_.stays(slots) || !std::all_of(records, end, isSegment)) return false;
  const bool isIn = clock_.isIn();
  const bool hasOrders = std::any_of(ways.begin(), ways.end(), [](const auto &way) { return !way->orders.empty(); });
  if (isIn && (hasOrders || !findObjects(loop, words))) return false;
  clock_.pass(slots);
  if (!frames_.empty()) {
    if (isIn) catchUp(thread);
    for (const uint32_t *record = records; record != end; record++) // every iteration leaves the stack as the first one
      frames_[thread].pass(plans_.records[*record], isIn);
  }
  if (isIn) eachWay([&](Way &way) { writeLoop(way, thread, loop, words); });
  return true;
}

/// Whether each word names one object in all iterations.
bool PlacedTraces::findObjects(const DecodedLoop &loop, const uint64_t *words) {
  const size_t count = loop.path->wordCount;
  objects_.clear();
  for (size_t word = 0; word < count; word++) {
    const uint64_t stride = words[count + word];
    uint64_t address = words[word];
    const LiveObject *const object = tracked_.find(address);
    for (uint64_t i = 0; i < loop.iterations; i++, address += stride)
      if (!object || tracked_.find(address) != object) return false;
    objects_.push_back(object);
  }
  return true;
}

/// A loop whose words go on with their strides stays one.
void PlacedTraces::writeLoop(Way &way, uint32_t thread, const DecodedLoop &loop, const uint64_t *words) {
  Path &iteration = *loop.path;
  const size_t count = iteration.wordCount;
  Placement &placement = way.step.placement;
  placement.thread = thread;
  const uint32_t number = loops_.of(iteration.number);
  bool goesOn = number != NO_INDEX;
  loopWords_.assign(1, loop.iterations);
  for (size_t word = 0; goesOn && word < count; word++) {
    uint64_t address = words[word];
    int64_t stride = static_cast<int64_t>(words[count + word]);
    const uint64_t bytes = std::max<uint32_t>(1, plans_.slots[iteration.loop->slots[word]].size);
    goesOn = placement.goesOn(*objects_[word], address, stride, bytes, loop.iterations);
    loopWords_.push_back(address);
    loopWords_.push_back(static_cast<uint64_t>(stride));
  }
  if (goesOn) return way.file.thread(thread).loop(number, loopWords_);
  placed_.assign(words, words + count);
  for (uint64_t i = 0; i < loop.iterations; i++) {
    const uint64_t *from = placed_.data();
    for (uint32_t at = 0; at < iteration.recordCount; at++) {
      const RecordPlan &plan = plans_.records[iteration.records()[at]];
      way.step.take(plan, from);
      way.step.writeTo(way.file.thread(thread), nullptr);
      from += plan.codedWords;
    }
    for (size_t word = 0; word < count; word++) placed_[word] += words[count + word];
  }
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
