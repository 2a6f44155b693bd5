// Stage: collectors. Why perf_event_open refuses, in words, and the setting that would allow it.
#pragma once

#include <string>

namespace dprof {

struct Refusal {
  std::string line, hint; // empty: nothing is refused
  explicit operator bool() const { return !line.empty(); }
};

// /proc/sys/kernel/perf_event_paranoid, or "unknown".
std::string perf_event_paranoid();

// `what` is refused by `error`: for want of permission, or of descriptors (`files_each`: what takes how many). Else
// nothing: only the caller knows then. `paranoid`: the setting that allows it to everyone.
Refusal explain_denial(const std::string &what, int error, int paranoid, const std::string &files_each);

// Debug registers that somebody else has. `available` of `wanted` are left.
std::string registers_in_use(unsigned available, unsigned wanted);

} // namespace dprof
