// Stage: runtime. The instrumented objects of this process.
#pragma once

namespace dprof {

// Logs where the calling thread's thread-locals are.
void announce_thread_locals();
// A forked child's session knows no modules yet.
void publish_modules_again();
// Sets `active` of every module.
void set_modules_active(bool active);

} // namespace dprof
