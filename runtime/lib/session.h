// Stage: runtime. This process in its session: the shared file that the recorder reads.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "dprof/abi.h"
#include "dprof/session.h"

namespace dprof {

struct Session {
  dprof_session_control *control;
  dprof_session_process *process;
  dprof_session_slot *slots;
  size_t mapped_bytes;
  uint32_t image;
  char directory[DPROF_SESSION_PATH_BYTES - 64];
};
extern Session session;

// Maps the session and makes this process's file in it. False: stay dormant.
bool open_session(const char *directory);
// In a forked child: a file of its own over the parent's, at the same addresses.
bool reopen_session_after_fork(uint32_t image);
uint32_t take_image_number();
// The recorder should look.
void wake_recorder();
// False: it died, or takes no more.
bool recorder_is_there();
// Tells the recorder that something of this process can not be recorded.
void report_failure(uint32_t error);
// Dormant from now on, all threads.
void stop_recording();
// Copies `module` into a file of the session.
bool publish_module(const dprof_module *module);

} // namespace dprof
