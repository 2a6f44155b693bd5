// Stage: trace -> blocks. How often each record was made, and which one came next in its function.
#include "trace/record_executions.h"

#include "trace/decoder.h"

namespace dprof {

RecordExecutions::RecordExecutions(const Input &input)
    : made(input.records.tag.count), input_(input), frames_(input.threads.size()),
      likely_(input.records.tag.count, Likely{NO_INDEX}) {}

void RecordExecutions::countAll() {
  const Plans plans = makePlans(input_);
  const TraceFile file(input_.path);
  Batch batch;
  uint64_t passed = 0; // in the threads before
  for (uint32_t number : input_.threadsWithSteps()) {
    const ThreadChunks &chunks = input_.threads[number];
    Decoder decoder(file, plans, chunks, {.loops = true});
    while (named(chunks, [&] { return decoder.next(batch); })) {
      count(number, batch, plans);
      if (input_.progress) input_.progress[0] = static_cast<double>(passed + decoder.passed());
    }
    passed += decoder.passed();
    frames_[number] = {};
  }
}

void RecordExecutions::count(uint32_t thread, const Batch &batch, const Plans &plans) {
  for (size_t i = 0; i < batch.stepCount; i++) {
    const uint32_t step = batch.steps[i];
    if (isRecordStep(step)) {
      pass(thread, step, plans.records[step]);
    } else if (step != EVENT_STEP) {
      const auto &[path, iterations] = batch.loops[step & ~LOOP_STEP];
      const uint32_t *records = path->records();
      for (uint32_t k = 0; k < path->recordCount; k++)
        pass(thread, records[k], plans.records[records[k]], k ? iterations : 1);
      if (iterations == 1) continue;
      made[records[0]] += iterations - 1;
      pair(records[path->recordCount - 1], records[0], iterations - 1);
    }
  }
}

void RecordExecutions::pass(uint32_t thread, uint32_t record, const RecordPlan &plan, uint64_t times) {
  std::vector<Frame> &frames = frames_[thread];
  made[record] += times;
  if (plan.flags & DPROF_RECORD_ENTRY) {
    frames.push_back({plan.function, NO_INDEX});
  } else {
    // Functions that an exception or a longjmp left.
    while (!frames.empty() && frames.back().function != plan.function) frames.pop_back();
    if (frames.empty()) frames.push_back({plan.function, NO_INDEX});
  }
  Frame &frame = frames.back();
  if (frame.last != NO_INDEX) pair(frame.last, record, times);
  frame.last = record;
  if (plan.flags & DPROF_RECORD_EXIT) frames.pop_back();
}

void RecordExecutions::pair(uint32_t record, uint32_t next, uint64_t times) {
  Likely &likely = likely_[record];
  if (likely.next == NO_INDEX) likely.next = next;
  if (likely.next == next)
    likely.times += times;
  else
    others_[uint64_t{record} << 32 | next] += times;
}

std::vector<RecordExecutions::Next> RecordExecutions::nexts() const {
  std::vector<Next> all;
  for (uint32_t record = 0; record < likely_.size(); record++)
    if (likely_[record].times) all.push_back({record, likely_[record].next, likely_[record].times});
  for (const auto &[key, times] : others_)
    all.push_back({static_cast<uint32_t>(key >> 32), static_cast<uint32_t>(key), times});
  return all;
}

} // namespace dprof
