// Stage: replay, while the program runs. Copies are brought to the end that the run would have now: lines leave the
// L1s, objects are settled.
#include "replay/snapshot.h"

namespace dprof {

/// Rows only grow, so that hits are in theirs decides nothing of the end.
static const Tallies &flushed(CountStage &counts) {
  counts.flush();
  return counts.tallies;
}

Snapshot::Snapshot(const Input &input, const Plans &plans, CacheStage &caches, CountStage &counts)
    : tallies_(flushed(counts)), labels_(counts.labels), objectCounters_(counts.objectCounters),
      memoryStructs_(counts.memoryStructs), unusedBytes_(counts.unusedBytes, labels_),
      objects_(counts.objects.log.copy()), flow_(counts.flow ? std::make_unique<Flow>(*counts.flow) : nullptr) {
  std::vector<uint32_t> unlabelled = counts.objects.unlabelled();
  caches.eachInL1([&](uint64_t address, const uint64_t *used) { counts.leave(address, used, unusedBytes_); });
  unusedBytes_.flush();
  counts.objects.endInto(objects_, counts.totals.time,
                         Settler{tallies_, plans.slots, input, labels_, objectCounters_, memoryStructs_});
  tallies_.flush();
  counts.objects.forgetLabels(unlabelled);
  if (flow_) flow_->finish(counts.totals.time);
}

} // namespace dprof
