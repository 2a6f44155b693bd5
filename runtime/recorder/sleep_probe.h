// Stage: recorder. A thread of the program -> whether the kernel has it asleep, in a call of its own.
#pragma once

#include <sys/types.h>

namespace dprof {

class SleepProbe {
public:
  SleepProbe(pid_t process, pid_t thread);
  ~SleepProbe();
  SleepProbe(const SleepProbe &) = delete;
  SleepProbe &operator=(const SleepProbe &) = delete;
  // In doubt not.
  bool is_asleep() const;

private:
  int file_;
};

} // namespace dprof
