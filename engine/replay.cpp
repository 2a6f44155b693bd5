// Stage: replay. Three stages, on as many threads as are allowed: steps are ordered and laid out, looked up in the caches, counted. Order and
// time depend on no cache, no cache on an object, and no object on a cache, so each stage keeps a state of its own and none can tell how far
// ahead the others are.
#include "replay.h"

#include "ordered_stream.h"
#include "pipeline.h"
#include "reference_stream.h"

namespace dprof {

constexpr size_t BATCHES = 12; // under way; all of them fit into a host's L2

Replay::Replay(const Input &input) : input_(input), plans_(makePlans(input)), file_(input.path), caches(input, plans_), counts(input, plans_) {
  for (const ThreadChunks &thread : input.threads)
    for (uint32_t bytes : thread.bytes) totalBytes_ += bytes;
}

void Replay::run() {
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < input_.threads.size(); i++)
    if (!input_.threads[i].offset.empty()) numbers.push_back(i);
  if (numbers.size() == 1 && input_.processes.empty()) { // nobody to wait for
    ReferenceStream stream(file_, plans_, input_, numbers[0]);
    runStages(stream);
  } else if (!numbers.empty()) {
    OrderedStream stream(file_, plans_, input_, numbers);
    runStages(stream);
  }
  caches.eachInL1([&](uint64_t address, const uint64_t *used) { counts.leave(address, used); });
  counts.finish();
}

template <typename Stream> void Replay::runStages(Stream &stream) {
  std::exception_ptr error;
  auto layOut = [&](ReferenceBatch &batch) {
    if (error) std::rethrow_exception(error);
    try {
      return stream.next(batch);
    } catch (...) {
      error = std::current_exception(); // what comes before it may fail earlier
      return true;
    }
  };
  auto lookUp = [&](ReferenceBatch &batch) {
    caches.lookUp(batch);
    return true;
  };
  auto count = [&](ReferenceBatch &batch) {
    counts.count(batch);
    reportProgress(batch.bytesRead);
    return true;
  };
  Pipeline<ReferenceBatch>({layOut, lookUp, count}, input_.workers < 2 ? 1 : BATCHES).run(input_.workers);
}

void Replay::reportProgress(uint64_t bytesRead) {
  if (!input_.progress) return;
  double done = static_cast<double>(counts.totals.slots);
  double share = totalBytes_ ? static_cast<double>(bytesRead) / static_cast<double>(totalBytes_) : 1;
  input_.progress[0] = done;
  input_.progress[1] = share > 0 ? done / share : 0;
}

} // namespace dprof
