// Stage: sampler. The rings that the program writes -> its events, in order of time.
#pragma once

#include <stdint.h>

#include <vector>

#include "dprof/sampler_session.h"

namespace dprof {

struct HeapEvent {
  uint64_t time_ns, address, bytes;
  uint8_t kind; // dprof_sampler_event_kind
  uint16_t cpu;
  uint32_t site;   // as numbered by whoever reads; in the rings an index of the session's sites
  uint16_t offset; // from the address to the type's first byte; DPROF_SAMPLER_OFFSET_UNKNOWN: nobody knows
  uint32_t thread;
  uint32_t order; // of those of one time, as they were read
};
inline bool is_earlier(const HeapEvent &a, const HeapEvent &b) {
  return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : (int32_t)(a.order - b.order) < 0;
}

class EventLog {
public:
  explicit EventLog(dprof_sampler_control &control) : control_(control) {}

  // What is there now, appended; each ring's in its order. `is_over`: nobody writes any more, what was begun will never
  // be there.
  void read(std::vector<HeapEvent> *to, bool is_over);
  uint64_t torn() const { return torn_; } // begun, and never there

private:
  dprof_sampler_control &control_;
  uint64_t torn_ = 0;
  uint32_t order_ = 0;
};

} // namespace dprof
