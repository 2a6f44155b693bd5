// Stage: replay, while the program runs. Settles results as at the end of a run, in copies, for a report on a replay
// that goes on.
#pragma once

#include "caches/cache_stage.h"
#include "counting/count_stage.h"

namespace dprof {

/// The parts of a replay's result that are not final before its end.
struct Settled {
  explicit Settled(CountStage &ended)
      : Settled(ended.tallies, ended.labels, ended.memoryStructs, ended.unusedBytes, ended.objects.log,
                ended.flow.get()) {}
  Settled(const Tallies &tallies, const Labels &labels, const MemoryStructs &memoryStructs,
          const UnusedBytes &unusedBytes, ObjectLog &objects, Flow *flow)
      : tallies(tallies), labels(labels), memoryStructs(memoryStructs), unusedBytes(unusedBytes), objects(objects),
        flow(flow) {}
  const Tallies &tallies;
  const Labels &labels;
  const MemoryStructs &memoryStructs;
  const UnusedBytes &unusedBytes;
  ObjectLog &objects; // to be drained
  Flow *flow;         // null: nobody wants it
};

/// The result as if the run ended now. It is made between two batches and leaves the replay unchanged.
class Snapshot {
public:
  Snapshot(const Input &input, const Plans &plans, CacheStage &caches, CountStage &counts);
  Snapshot(const Snapshot &) = delete; // its parts refer to one another
  Settled settled() { return {tallies_, labels_, memoryStructs_, unusedBytes_, objects_, flow_.get()}; }

private:
  Tallies tallies_;
  Labels labels_;
  ObjectCounters objectCounters_;
  MemoryStructs memoryStructs_;
  UnusedBytes unusedBytes_;
  ObjectLog objects_;
  std::unique_ptr<Flow> flow_;
};

} // namespace dprof
