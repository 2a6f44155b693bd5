// Stage: recorder. The rate of the time stamp counter, measured once against the monotonic clock.
#include "clock.h"

#include <time.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace dprof {
namespace {

uint64_t read_ns(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// The closest of several pairs: an interrupt in between spoils one, not all.
ClockReading read_both(clockid_t clock) {
  ClockReading best = {};
  uint64_t narrowest = ~0ull;
  for (int i = 0; i < 16; i++) {
    uint64_t before = read_stamp(), ns = read_ns(clock), after = read_stamp();
    if (after - before < narrowest) {
      narrowest = after - before;
      best = {ns, before + (after - before) / 2};
    }
  }
  return best;
}

#if defined(__x86_64__)
uint64_t measure() {
  ClockReading first = read_both(CLOCK_MONOTONIC_RAW), last;
  do last = read_both(CLOCK_MONOTONIC_RAW);
  while (last.ns - first.ns < 5000000);
  return (uint64_t)((unsigned __int128)(last.stamp - first.stamp) * 1000000000u / (last.ns - first.ns));
}
#else
uint64_t measure() {
  uint64_t rate;
  __asm__("mrs %0, cntfrq_el0" : "=r"(rate));
  return rate;
}
#endif

} // namespace

uint64_t stamps_per_second() {
  static const uint64_t rate = measure();
  return rate;
}

uint64_t read_stamp() {
#if defined(__x86_64__)
  _mm_lfence(); // as RDTSCP, which an emulated processor may lack, waits for what is before it
  return __builtin_ia32_rdtsc();
#else
  uint64_t ticks;
  __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
  return ticks;
#endif
}

ClockReading read_clocks() { return read_both(CLOCK_MONOTONIC); }

uint64_t now_ns() { return read_ns(CLOCK_MONOTONIC); }
uint64_t unix_time_ns() { return read_ns(CLOCK_REALTIME); }

} // namespace dprof
