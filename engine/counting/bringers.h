// Stage: replay. Who brought the line that lies in each place of the caches: one record a place, so that a line that
// comes finds all that is to be known about the one that leaves.
#pragma once

#include "base/huge_vector.h"
#include "machine/machine.h"

namespace dprof {

struct Bringer {
  uint32_t label; // of the reference that brought the line
  uint32_t owner; // Residency's, if the flow is wanted; 0: the place is empty
};

class Bringers {
public:
  explicit Bringers(const Machine &machine) {
    const uint32_t cores[] = {machine.whole.coresPerL1, machine.whole.coresPerL2, machine.coresPerLlc};
    for (unsigned level = 0; level < 3; level++) {
      places_[level] = machine.level[level].lines();
      bringers_[level].resize((machine.cores + cores[level] - 1) / cores[level] * places_[level]);
    }
  }
  Bringer &at(unsigned level, uint32_t unit, uint32_t place) { return bringers_[level][unit * places_[level] + place]; }
  /// A place that will be filled soon. Of a level that the line does not pass it may be anything.
  void fetch(unsigned level, uint32_t unit, uint32_t place) const {
    __builtin_prefetch(bringers_[level].data() + unit * places_[level] + place, 1);
  }

private:
  size_t places_[3];                // of a unit
  HugeVector<Bringer> bringers_[3]; // by unit and place
};

} // namespace dprof
