// Stage: doctor. Tries what dprof needs of the kernel and prints the answers as one line of JSON; an error number where
// it refuses.
//   {"breakpoint":true,"cycles":false,"cyclesError":"ENOENT","noRandomise":true}
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../recorder/json.h"

using namespace dprof;

namespace {

volatile std::uint64_t watched;

int open_event(perf_event_attr &attributes) {
  attributes.size = sizeof attributes;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

// Counts what the event counts while `watched` is stored to; 0 or an error number in `error` if it can not.
std::uint64_t count_stores(perf_event_attr &attributes, int &error) {
  int event = open_event(attributes);
  if (event < 0) {
    error = errno;
    return 0;
  }
  ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
  for (int i = 0; i < 3; i++) watched = watched + 1;
  ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
  std::uint64_t count = 0;
  if (read(event, &count, sizeof count) != static_cast<ssize_t>(sizeof count)) error = errno;
  close(event);
  return count;
}

bool debug_register_works(int &error) {
  perf_event_attr attributes = {};
  attributes.type = PERF_TYPE_BREAKPOINT;
  attributes.bp_type = HW_BREAKPOINT_W;
  attributes.bp_addr = reinterpret_cast<std::uintptr_t>(&watched);
  attributes.bp_len = HW_BREAKPOINT_LEN_8;
  return count_stores(attributes, error) == 3;
}

bool cycle_counter_works(int &error) {
  perf_event_attr attributes = {};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  return count_stores(attributes, error) > 0;
}

bool randomisation_can_be_switched_off(int &error) {
  int before = personality(0xffffffff);
  if (before == -1 || personality(static_cast<unsigned long>(before) | ADDR_NO_RANDOMIZE) == -1) {
    error = errno;
    return false;
  }
  return (personality(0xffffffff) & ADDR_NO_RANDOMIZE) != 0;
}

void add_answer(Json &answers, const std::string &name, bool works, int error) {
  answers.add(name, works);
  if (!works && error != 0) answers.add(name + "Error", strerrorname_np(error));
}

} // namespace

int main() {
  int breakpoint_error = 0, cycles_error = 0, randomise_error = 0;
  bool breakpoint = debug_register_works(breakpoint_error);
  bool cycles = cycle_counter_works(cycles_error);
  bool no_randomise = randomisation_can_be_switched_off(randomise_error);
  Json answers = Json::object();
  add_answer(answers, "breakpoint", breakpoint, breakpoint_error);
  add_answer(answers, "cycles", cycles, cycles_error);
  add_answer(answers, "noRandomise", no_randomise, randomise_error);
  std::puts(answers.text().c_str());
  return 0;
}
