// Stage: sampler. Event sources for loads and stores: Intel's PEBS (mem-loads, mem-stores; on hybrid processors each
// kind of core has its own), AMD's IBS, Arm's SPE.
//
// Attempts show what a kernel accepts: the most precise instruction pointer, the three parts of a latency. The kernel's
// version shows what its samples contain: from 6.2 on it derives level and latency from IBS registers; for older
// kernels dprof reads them from the registers (ibs_op.h).
#include "event_sources.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <algorithm>

#include "event_text.h"

namespace dprof {
namespace {

constexpr uint64_t common_fields = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                   PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
constexpr unsigned most_precise = 3;
constexpr unsigned ibs_period_step = 16; // the counter has no lower bits

bool is_at_least(const std::string &release, unsigned major, unsigned minor) {
  unsigned found_major = 0, found_minor = 0;
  return sscanf(release.c_str(), "%u.%u", &found_major, &found_minor) == 2 &&
         (found_major > major || (found_major == major && found_minor >= minor));
}

perf_event_attr begin_attributes(const EventWishes &wishes, const Machine &machine) {
  perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.sample_type = common_fields;
  attributes.read_format = is_at_least(machine.release, 6, 0) ? PERF_FORMAT_LOST : 0;
  attributes.disabled = 1;
  attributes.enable_on_exec = 1;
  attributes.inherit = 1;
  attributes.sample_id_all = 1;
  attributes.exclude_kernel = !wishes.kernel;
  attributes.exclude_hv = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  return attributes;
}

bool is_spe(const std::string &pmu) { return pmu.rfind("arm_spe_", 0) == 0; }

bool is_refused_as_such(int error) { return error == EINVAL || error == EOPNOTSUPP; }

// The first of the ways to ask for it that the kernel takes: 0, or the last errno.
int try_latencies(EventSource *event, const Machine &machine) {
  int error = 0;
  for (uint64_t weight : {(uint64_t)PERF_SAMPLE_WEIGHT_STRUCT, (uint64_t)PERF_SAMPLE_WEIGHT}) {
    event->attributes.sample_type &= ~(uint64_t)PERF_SAMPLE_WEIGHT_TYPE;
    event->attributes.sample_type |= weight;
    error = machine.try_open(*event);
    if (!is_refused_as_such(error)) return error;
  }
  return error;
}

int try_precisions(EventSource *event, const Machine &machine) {
  int error = 0;
  for (unsigned precise = most_precise; precise > 0; precise--) {
    event->attributes.precise_ip = precise;
    error = try_latencies(event, machine);
    if (!is_refused_as_such(error)) return error;
  }
  return error;
}

// IBS has no tasks before Linux 6.2, and does not leave the kernel out unless it has `swfilt`.
int try_ibs(EventSource *event, const PmuFolder &pmu, const EventWishes &wishes, const Machine &machine) {
  perf_event_attr &attributes = event->attributes;
  attributes.exclude_kernel = attributes.exclude_hv = 0;
  if (!wishes.kernel && pmu.has_format("swfilt")) {
    uint64_t unused;
    pmu.configure("swfilt=1", &attributes, &unused);
    attributes.exclude_kernel = 1;
  } else {
    event->is_kernel_passed_over = !wishes.kernel;
  }
  const bool derives = is_at_least(machine.release, 6, 2);
  attributes.sample_type |= PERF_SAMPLE_RAW | (derives ? (uint64_t)PERF_SAMPLE_DATA_SRC : 0);
  auto attempt = [&] { return derives ? try_latencies(event, machine) : machine.try_open(*event); };
  int error = attempt();
  if (!is_refused_as_such(error)) return error;
  event->is_of_processors = true;
  attributes.inherit = attributes.enable_on_exec = 0;
  return attempt();
}

// Events that the kernel itself counts: if their samples are to carry the period, it samples every one, whatever the
// period is.
bool is_counted_by_kernel(const perf_event_attr &attributes) {
  if (attributes.type == PERF_TYPE_BREAKPOINT || attributes.type == PERF_TYPE_TRACEPOINT) return true;
  return attributes.type == PERF_TYPE_SOFTWARE && attributes.config != PERF_COUNT_SW_CPU_CLOCK &&
         attributes.config != PERF_COUNT_SW_TASK_CLOCK;
}

void set_period(EventSource *event, uint64_t period) {
  event->period = period;
  event->has_one_period = is_counted_by_kernel(event->attributes);
  if (event->has_one_period) event->attributes.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
  event->attributes.sample_period = std::max<uint64_t>(period / event->period_step, 1) * event->period_step;
}

// Tries an event of a PMU, given by its terms. 0, or an errno; `wrong`: the mistake in the terms.
int prepare(const PmuFolder &pmu, const std::string &terms, uint64_t period, unsigned precise,
            const EventWishes &wishes, const Machine &machine, EventSource *event, std::string *wrong) {
  event->attributes = begin_attributes(wishes, machine);
  event->attributes.type = pmu.type();
  event->cpus = pmu.cpus();
  *wrong = pmu.configure(terms, &event->attributes, &period);
  if (!wrong->empty()) return EINVAL;
  event->name = pmu.name() + "/" + terms + "/";
  if (pmu.name().rfind("ibs_op", 0) == 0) {
    event->origin = Origin::ibs;
    event->period_step = ibs_period_step;
    set_period(event, period);
    return try_ibs(event, pmu, wishes, machine);
  }
  set_period(event, period);
  if (is_spe(pmu.name())) {
    event->origin = Origin::spe;
    event->has_one_period = true;
    event->attributes.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                    PERF_SAMPLE_CPU; // of what says that there are packets
    return machine.try_open(*event);
  }
  event->origin = Origin::pebs;
  event->attributes.sample_type |= PERF_SAMPLE_DATA_SRC;
  event->attributes.exclude_guest = 1;
  event->attributes.precise_ip = precise;
  if (precise <= most_precise) return try_latencies(event, machine);
  event->name += "P";
  int error = try_precisions(event, machine);
  if (error != ENODATA || !pmu.has_event("mem-loads-aux")) return error;
  // Since Sapphire Rapids loads have a latency only beside an event that counts them; this error of the kernel says so.
  event->has_leader = true;
  event->leader = begin_attributes(wishes, machine);
  event->leader.type = pmu.type();
  event->leader.sample_type = PERF_SAMPLE_IDENTIFIER;
  event->leader.read_format = 0;
  event->leader.exclude_guest = 1;
  event->attributes.disabled = event->attributes.enable_on_exec = 0; // as the leader is
  uint64_t unused;
  *wrong = pmu.configure("mem-loads-aux", &event->leader, &unused);
  return wrong->empty() ? try_precisions(event, machine) : EINVAL;
}

} // namespace

Refusal refuse(const EventSource &event, int error) {
  const bool is_breakpoint = event.origin == Origin::breakpoint;
  const std::string what = is_breakpoint ? "debug registers" : event.name;
  const int paranoid = event.is_of_processors ? 0 : event.attributes.exclude_kernel ? 2 : 1;
  if (Refusal refusal = explain_denial(what, error, paranoid, "each event takes one for each processor"))
    return refusal;
  const std::string reason = std::string(" (") + strerror(error) + ")";
  if (is_breakpoint && (error == ENOSPC || error == EBUSY))
    return {registers_in_use(0, 1), "end the debugger or the perf that has them"};
  if (is_breakpoint)
    return {"the kernel does not take " + event.name + " as a breakpoint" + reason,
            "an address is a multiple of its length, 1, 2, 4 or 8 bytes; x86 watches w, rw and x; 'dprof doctor' says "
            "whether there are debug registers"};
  if (error == EBUSY)
    return {event.name + " is in use" + reason,
            "end the other perf, or the NMI watchdog: sysctl kernel.nmi_watchdog=0"};
  if (error == ENOMEM)
    return {"no memory can be locked for the rings of samples" + reason,
            "ulimit -l unlimited, or sysctl kernel.perf_event_mlock_kb"};
  return {"this kernel or machine does not take " + event.name + reason,
          "'dprof doctor' says what samples memory here; perf list names events"};
}

namespace {

Refusal refuse_machine(const Machine &machine) {
  return {"nothing samples memory accesses here: no PMU with mem-loads, ibs_op or arm_spe in " + machine.devices,
          "dprof record sees every access without one; dprof history watches objects with debug registers; or perf mem "
          "record on another machine, and dprof import"};
}

// PMUs that sample loads and stores by event, those of each kind of core, then one that samples operations.
std::vector<PmuFolder> find_pmus(const Machine &machine) {
  std::vector<PmuFolder> found;
  for (const char *name : {"cpu", "cpu_core", "cpu_atom"})
    if (PmuFolder pmu(machine.devices, name); pmu.exists() && pmu.has_event("mem-loads")) found.push_back(pmu);
  if (!found.empty()) return found;
  if (PmuFolder pmu(machine.devices, "ibs_op"); pmu.exists()) return {pmu};
  for (const std::string &name : pmu_names(machine.devices, "arm_spe_"))
    if (PmuFolder pmu(machine.devices, name); pmu.exists()) found.push_back(pmu);
  return found;
}

EventChoice choose_by_machine(const EventWishes &wishes, const Machine &machine) {
  EventChoice choice;
  const std::vector<PmuFolder> pmus = find_pmus(machine);
  if (pmus.empty()) return {{}, refuse_machine(machine)};
  for (const PmuFolder &pmu : pmus) {
    struct Asked {
      std::string terms;
      uint64_t period;
    };
    std::vector<Asked> asked;
    if (pmu.has_event("mem-loads")) {
      asked.push_back(
          {"mem-loads" + (wishes.latency ? ",ldlat=" + std::to_string(wishes.latency) : ""), wishes.period_loads});
      if (pmu.has_event("mem-stores")) asked.push_back({"mem-stores", wishes.period_stores});
    } else if (is_spe(pmu.name())) {
      std::string terms = "ts_enable=1,load_filter=1,store_filter=1";
      if (pmu.has_format("jitter")) terms += ",jitter=1"; // the interval is varied by the processor
      if (wishes.latency) terms += ",min_latency=" + std::to_string(wishes.latency);
      asked.push_back({terms, wishes.period_loads});
    } else {
      std::string terms = pmu.has_format("cnt_ctl") ? "cnt_ctl=1" : ""; // operations, not cycles
      if (wishes.latency) terms += std::string(terms.empty() ? "" : ",") + "ldlat=" + std::to_string(wishes.latency);
      asked.push_back({terms, wishes.period_loads});
    }
    for (const auto &[terms, period] : asked) {
      EventSource event;
      std::string wrong;
      const int error = prepare(pmu, terms, period, most_precise + 1, wishes, machine, &event, &wrong);
      if (!wrong.empty())
        return {{},
                {pmu.name() + "/" + terms + "/: " + wrong,
                 "--latency is for PMUs that can leave loads of less out: Intel's, and AMD's since Zen 5"}};
      if (error) return {{}, refuse(event, error)};
      choice.events.push_back(event);
    }
  }
  return choice;
}

EventChoice choose_asked(const EventWishes &wishes, const Machine &machine) {
  EventChoice choice;
  for (const std::string &text : wishes.events) {
    EventSource event;
    EventText asked = parse_event(text);
    if (!asked.wrong.empty())
      return {{},
              {"--event " + text + ": " + asked.wrong,
               "page-faults, mem:0x404028/8:rw, or as perf list spells them: cpu/mem-loads,ldlat=30/"}};
    event.name = text;
    int error;
    if (asked.pmu.empty()) {
      event.attributes = begin_attributes(wishes, machine);
      event.attributes.type = asked.type;
      event.attributes.config = asked.config;
      if (asked.type == PERF_TYPE_BREAKPOINT) {
        event.origin = Origin::breakpoint;
        event.attributes.bp_type = asked.access;
        event.attributes.bp_addr = asked.address;
        event.attributes.bp_len = asked.length;
      }
      set_period(&event, wishes.period ? wishes.period : 1);
      error = machine.try_open(event);
    } else {
      PmuFolder pmu(machine.devices, asked.pmu);
      if (!pmu.exists())
        return {
            {},
            {"--event " + text + ": this machine has no PMU " + asked.pmu, "ls " + machine.devices + " names them"}};
      std::string wrong;
      error = prepare(pmu, asked.terms, wishes.period ? wishes.period : wishes.period_loads, asked.precise, wishes,
                      machine, &event, &wrong);
      if (!wrong.empty())
        return {{},
                {"--event " + text + ": " + wrong,
                 "ls " + machine.devices + "/" + asked.pmu + "/format names its settings"}};
      event.name = text;
      if (event.origin == Origin::pebs && event.attributes.precise_ip == 0) event.origin = Origin::other;
    }
    if (error) return {{}, refuse(event, error)};
    choice.events.push_back(event);
  }
  return choice;
}

} // namespace

const char *spell(Origin origin) {
  switch (origin) {
    case Origin::pebs: return "pebs";
    case Origin::ibs: return "ibs";
    case Origin::spe: return "spe";
    case Origin::breakpoint: return "breakpoint";
    case Origin::other: return "other";
  }
  return "other";
}

EventChoice choose_events(const EventWishes &wishes, const Machine &machine) {
  return wishes.events.empty() ? choose_by_machine(wishes, machine) : choose_asked(wishes, machine);
}

} // namespace dprof
