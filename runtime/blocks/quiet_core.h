// Stage: blocks. Waits until no other hardware thread uses this core.
#pragma once

namespace dprof {

// A cycle: processors with AVX2 do four and more, half as many on a shared core.
constexpr double least_additions = 3.5;

class QuietCore {
public:
  // A block more to be measured: it may be waited for a little longer.
  void add_block();
  // Until the core is this thread's alone; false: the patience is used up.
  bool wait();

private:
  double patience_seconds_ = 0.5;
};

} // namespace dprof
