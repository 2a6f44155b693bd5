// Stage: blocks. Waits until no other hardware thread uses this core.
#pragma once

namespace dprof {

class QuietCore {
public:
  // A block more to be measured: it may be waited for a little longer.
  void add_block();
  // Until the core is this thread's alone, or the patience is used up.
  void wait();

private:
  double patience_seconds_ = 1;
};

} // namespace dprof
