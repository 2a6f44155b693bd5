// Stage: recorder. /proc/PID/task/TID/stat: "tid (name) S ...".
#include "sleep_probe.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <string>

namespace dprof {

SleepProbe::SleepProbe(pid_t process, pid_t thread)
    : file_(open(("/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/stat").c_str(), O_RDONLY | O_CLOEXEC)) {}

SleepProbe::~SleepProbe() {
  if (file_ >= 0) close(file_);
}

bool SleepProbe::is_asleep() const {
  char text[256];
  ssize_t n = file_ < 0 ? -1 : pread(file_, text, sizeof text - 1, 0);
  if (n <= 0) return false;
  text[n] = 0;
  const char *after_name = strrchr(text, ')'); // a name may have them too; numbers have none
  return after_name && after_name[1] == ' ' && after_name[2] == 'S';
}

} // namespace dprof
