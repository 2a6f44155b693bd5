// Stage: sampler. Words -> numbers. Callers check whether the machine has such an event.
#include "event_text.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include <algorithm>

#include "pmu_folder.h"

namespace dprof {
namespace {

constexpr unsigned as_precise_as_it_goes = 4;

struct SoftwareEvent {
  const char *name;
  uint64_t config;
};
constexpr SoftwareEvent software_events[] = {{"page-faults", PERF_COUNT_SW_PAGE_FAULTS},
                                             {"minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN},
                                             {"major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ}};

EventText wrong(const std::string &what) {
  EventText text;
  text.wrong = what;
  return text;
}

uint32_t parse_access(const std::string &letters) {
  uint32_t access = 0;
  for (char letter : letters) {
    const uint32_t bit = letter == 'r'   ? HW_BREAKPOINT_R
                         : letter == 'w' ? HW_BREAKPOINT_W
                         : letter == 'x' ? HW_BREAKPOINT_X
                                         : 0;
    if (bit == 0 || (access & bit)) return 0;
    access |= bit;
  }
  return access;
}

EventText parse_breakpoint(const std::string &text) {
  EventText event;
  event.type = PERF_TYPE_BREAKPOINT;
  const size_t colon = text.find(':'), slash = text.find('/');
  const size_t end = std::min(colon, slash);
  if (!parse_number(text.substr(0, end), &event.address)) return wrong("no address");
  event.access = colon == std::string::npos ? HW_BREAKPOINT_RW : parse_access(text.substr(colon + 1));
  if (event.access == 0 || (event.access & HW_BREAKPOINT_X && event.access != HW_BREAKPOINT_X))
    return wrong("accesses are r, w, rw or x");
  event.length = event.access == HW_BREAKPOINT_X ? sizeof(long) : 4;
  if (slash < colon &&
      !parse_number(text.substr(slash + 1, colon == std::string::npos ? colon : colon - slash - 1), &event.length))
    return wrong("no length");
  return event;
}

EventText parse_pmu(const std::string &text) {
  EventText event;
  const size_t begin = text.find('/'), end = text.rfind('/');
  if (begin == 0 || end == begin) return wrong("a PMU, and its terms between two /");
  event.pmu = text.substr(0, begin);
  event.terms = text.substr(begin + 1, end - begin - 1);
  for (char letter : text.substr(end + 1)) {
    if (letter == 'P')
      event.precise = as_precise_as_it_goes;
    else if (letter == 'p' && event.precise < 3)
      event.precise++;
    else if (letter != 'u')
      return wrong(std::string("'") + letter + "' behind the terms is none of p, P and u");
  }
  return event;
}

} // namespace

EventText parse_event(const std::string &text) {
  for (const SoftwareEvent &known : software_events)
    if (text == known.name) {
      EventText event;
      event.type = PERF_TYPE_SOFTWARE;
      event.config = known.config;
      return event;
    }
  if (text.rfind("mem:", 0) == 0) return parse_breakpoint(text.substr(4));
  if (text.find('/') != std::string::npos) return parse_pmu(text);
  return wrong("not known");
}

} // namespace dprof
