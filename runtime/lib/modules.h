// Stage: runtime. The instrumented objects of this process.
#pragma once

#include <stdint.h>

namespace dprof {

// All that are loaded now, or register without another one being loaded, come with the program.
void count_modules_at_start();
// Logs where the calling thread's thread-locals are.
void announce_thread_locals();
// For the session of a child that is about to be forked; returns how many. The lock is held until `child_is_forked`, in
// both processes.
uint32_t publish_modules_for_child(uint32_t image);
void child_is_forked(bool in_child);
// Sets `active` of every module.
void set_modules_active(bool active);

} // namespace dprof
