// Stage: trace -> blocks. How often each record was made, in no order.
#include "trace/record_executions.h"

#include "trace/decoder.h"

namespace dprof {

std::vector<uint64_t> countExecutions(const Input &input) {
  const Plans plans = makePlans(input);
  const TraceFile file(input.path);
  std::vector<uint64_t> counts(plans.records.size());
  Batch batch;
  uint64_t passed = 0; // in the threads before
  for (uint32_t number : input.threadsWithSteps()) {
    const ThreadChunks &chunks = input.threads[number];
    Decoder decoder(file, plans, chunks, {.loops = true});
    while (named(chunks, [&] { return decoder.next(batch); })) {
      for (size_t i = 0; i < batch.stepCount; i++) {
        const uint32_t step = batch.steps[i];
        if (isRecordStep(step)) {
          counts[step]++;
        } else if (step != EVENT_STEP) {
          const auto &[path, iterations] = batch.loops[step & ~LOOP_STEP];
          for (uint32_t k = 0; k < path->recordCount; k++) counts[path->records()[k]] += iterations;
        }
      }
      if (input.progress) input.progress[0] = static_cast<double>(passed + decoder.passed());
    }
    passed += decoder.passed();
  }
  return counts;
}

} // namespace dprof
