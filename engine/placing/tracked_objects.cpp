// Stage: trace -> placing. Objects on pages that were asked for.
#include "placing/tracked_objects.h"

namespace dprof {

TrackedObjects::TrackedObjects(const Input &input, const Plans &plans)
    : tallies_(latenciesOf(input.machine)), labels_(input), counters_(latenciesOf(input.machine)),
      settler_{tallies_, plans.slots, input, labels_, counters_, structs_}, objects(input, pages_, nullptr, settler_),
      changes(plans, objects) {
  objects.createGlobals();
}

uint32_t TrackedObjects::addPage(uint64_t page) {
  const uint32_t frame = pages_.add(page);
  objects.addFrame(frame);
  return frame;
}

} // namespace dprof
