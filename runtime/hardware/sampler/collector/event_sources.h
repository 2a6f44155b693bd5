// Stage: sampler. This machine's ways to sample (/sys/bus/event_source, the kernel's answers), or the user's choice ->
// events, ready to be opened.
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>

#include <functional>
#include <string>
#include <vector>

#include "../../code/perf_refusal.h"
#include "pmu_folder.h"

namespace dprof {

// The source of samples, as src/hardware/samples/samples.ts spells it.
enum class Origin { pebs, ibs, spe, breakpoint, other };
const char *spell(Origin origin);

struct EventSource {
  std::string name; // as perf spells it
  Origin origin = Origin::other;
  perf_event_attr attributes = {};
  bool has_leader = false;
  perf_event_attr leader = {};   // counts in front of it, in one group: mem-loads-aux
  std::vector<unsigned> cpus;    // empty: all
  uint64_t period = 1;           // the mean of the drawn periods
  unsigned period_step = 1;      // the PMU takes multiples of it
  bool has_one_period = false;   // one period for all threads: the samples do not carry it
  bool is_of_processors = false; // the PMU knows no tasks: all processes are sampled, and samples of others are dropped
  bool is_kernel_passed_over = false; // the PMU can not leave the kernel out
};

struct EventWishes {
  std::vector<std::string> events; // as perf spells them; none: loads and stores, from any source that samples them
  uint64_t period_loads = 20000, period_stores = 50000; // CachePerf's
  uint64_t period = 0;  // of `events`; 0: 1 for page faults and breakpoints, else `period_loads`
  uint64_t latency = 0; // least latency of a load, in cycles; 0: the default of the PMU's event
  bool kernel = false;  // sample the kernel too
};

// Opens the event for a task that does nothing, and closes it: 0, or the errno.
using TryOpen = std::function<int(const EventSource &)>;

struct Machine {
  std::string devices; // /sys/bus/event_source/devices
  std::string release; // uname -r
  TryOpen try_open;
};

struct EventChoice {
  std::vector<EventSource> events;
  Refusal refusal;
};

EventChoice choose_events(const EventWishes &wishes, const Machine &machine);
// Explains why the kernel does not open the event.
Refusal refuse(const EventSource &event, int error);

} // namespace dprof
