// Stage: collectors. The kernel's error numbers to words. EACCES is perf_event_paranoid's answer, EPERM and ENOSYS are
// those of seccomp filters.
#include "perf_refusal.h"

#include <errno.h>
#include <string.h>

#include <fstream>

namespace dprof {

std::string perf_event_paranoid() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  std::string text;
  std::getline(file, text);
  return text.empty() ? "unknown" : text;
}

Refusal explain_denial(const std::string &what, int error, int paranoid, const std::string &files_each) {
  const std::string setting = "sysctl kernel.perf_event_paranoid=" + std::to_string(paranoid);
  switch (error) {
    case EACCES:
      return {"the kernel refuses " + what + " (" + strerror(error) + "): perf_event_paranoid is " +
                  perf_event_paranoid(),
              setting + ", or run it with CAP_PERFMON"};
    case EPERM:
    case ENOSYS:
      return {
          std::string("perf_event_open is forbidden here (") + strerror(error) + ", perf_event_paranoid is " +
              perf_event_paranoid() + "): a seccomp profile, as containers have",
          "docker run --cap-add PERFMON --security-opt seccomp=unconfined, or a profile that allows perf_event_open; " +
              setting};
    case EMFILE:
    case ENFILE: return {"too many open files: " + files_each, "ulimit -n 65536"};
    default: return {};
  }
}

std::string registers_in_use(unsigned available, unsigned wanted) {
  return "the debug registers are in use: " + std::to_string(available) + " of " + std::to_string(wanted) +
         " can be had";
}

} // namespace dprof
