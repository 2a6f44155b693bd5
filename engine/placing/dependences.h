// Stage: placing. Whether steps may change places: none may load, or store to, what another one stored, unless they
// stay in their order. src/what-if/dependences.ts is the same.
#pragma once

#include "placing/held_steps.h"

namespace dprof {

class Dependences {
public:
  /// The slot of the first access that would come before a store, or of a store that would come before an access, that
  /// it followed; NO_INDEX: none does. Of steps `first` to `end`, in the recorded order; `places`: in the other one.
  uint32_t broken(const HeldSteps &held, size_t first, size_t end, const std::vector<uint32_t> &places);

private:
  struct Unit {
    uint64_t number = ~uint64_t{0};
    uint32_t accessed = 0, stored = 0; // the last place of each
  };
  Unit &unitAt(uint64_t number);
  void grow();

  std::vector<Unit> table_;
  size_t used_ = 0;
};

} // namespace dprof
