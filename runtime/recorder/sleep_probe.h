// Stage: recorder. A thread of the program -> whether the kernel has it asleep, in a call of its own.
#pragma once

#include <sys/types.h>

namespace dprof {

// False if in doubt.
bool is_asleep(pid_t process, pid_t thread);

} // namespace dprof
