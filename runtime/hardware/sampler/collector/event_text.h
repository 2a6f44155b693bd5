// Stage: sampler. An event as perf spells it -> its parts: `page-faults`, `mem:ADDRESS[/LENGTH][:rwx]`,
// `PMU/TERMS/[ppp]`.
#pragma once

#include <stdint.h>

#include <string>

namespace dprof {

struct EventText {
  std::string wrong; // empty: nothing
  uint32_t type = 0; // of perf_event_attr, if there is no `pmu`
  uint64_t config = 0;
  uint64_t address = 0, length = 0;
  uint32_t access = 0; // HW_BREAKPOINT_R and so on
  std::string pmu, terms;
  unsigned precise = 0; // 4: as precise as it goes
};

EventText parse_event(const std::string &text);

} // namespace dprof
