// Stage: runtime. This process's part of its session: the shared file that the recorder reads.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "dprof/abi.h"
#include "dprof/session.h"

namespace dprof {

struct Session {
  dprof_session_control *control;
  dprof_session_process *process;
  dprof_session_seat *seats;
  size_t mapped_bytes;
  uint32_t image;
  uint32_t seats_ready; // those below can be touched
  char directory[DPROF_SESSION_PATH_BYTES - 64];
};
extern Session session;

// Maps the session and makes this process's file in it. False: the process stays dormant.
bool open_session(const char *directory);
// The parts that a forked child needs, made before the fork: when the child logs, it may be another user, or in another
// root. The recorder also knows of the child before the parent can end.
struct ChildImage {
  uint32_t number;
  int file; // descriptor, or minus an errno
};
ChildImage prepare_child_image();
// To be called in the child: maps its file over the parent's, at the same addresses. `modules` modules were published
// for it.
bool reopen_session_after_fork(const ChildImage &image, uint32_t modules);
void forget_child_image(const ChildImage &image);
// Tells the recorder to look.
void wake_recorder();
// False: the recorder died, or takes no more.
bool recorder_is_there();
// Tells the recorder that something of this process can not be recorded.
void report_failure(uint32_t error);
// Before the first look at a thread seat: in a full /dev/shm even that would be fatal.
bool populate_seat(uint32_t index);
// Dormant from now on, all threads.
void stop_recording();
// Copies `module` into a file of the session, as module `number` of an image; `has_globals`: with its globals, which
// are there from the beginning.
bool publish_module(const dprof_module *module, uint32_t image, uint32_t number, bool has_globals);

} // namespace dprof
