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
  uint32_t site;   // numbered by the reader; in the rings an index of the session's sites
  uint16_t offset; // from the address to the type's first byte; DPROF_SAMPLER_OFFSET_UNKNOWN: nobody knows
  uint32_t thread;
  uint32_t order; // order of reading, for events of the same time
};
inline bool is_earlier(const HeapEvent &a, const HeapEvent &b) {
  return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : (int32_t)(a.order - b.order) < 0;
}

class EventLog {
public:
  explicit EventLog(dprof_sampler_control &control) : control_(control) {}

  // Appends the events that are there now; each ring's events stay in order. `is_over`: nobody writes any more, so an
  // event that was only begun will never be complete.
  void read(std::vector<HeapEvent> *to, bool is_over);
  uint64_t torn() const { return torn_; } // events that were begun, but never completed

private:
  dprof_sampler_control &control_;
  uint64_t torn_ = 0;
  uint32_t order_ = 0;
};

} // namespace dprof
