// Stage: recorder. Times: the stamps' clock rate, and the wall clock.
#pragma once

#include <stdint.h>

namespace dprof {

uint64_t stamps_per_second();
uint64_t now_ns();
// The stamp that a thread of the program would take now.
uint64_t read_stamp(); // monotonic
uint64_t unix_time_ns();

// One moment, read from two clocks.
struct ClockReading {
  uint64_t ns, stamp;
};
// `ns` is the monotonic clock's.
ClockReading read_clocks();

} // namespace dprof
