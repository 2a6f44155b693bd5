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
  dprof_session_seat *seats;
  size_t mapped_bytes;
  uint32_t image;
  uint32_t seats_ready; // those below can be touched
  char directory[DPROF_SESSION_PATH_BYTES - 64];
};
extern Session session;

// Maps the session and makes this process's file in it. False: stay dormant.
bool open_session(const char *directory);
// What a forked child needs is made before the fork: the child may be another user, or in another root, by the time it
// logs, and so the recorder knows of it before the parent can end.
struct ChildImage {
  uint32_t number;
  int file; // or minus an errno
};
ChildImage prepare_child_image();
// In the child: its file over the parent's, at the same addresses.
// `modules` of them were published for it.
bool reopen_session_after_fork(const ChildImage &image, uint32_t modules);
void forget_child_image(const ChildImage &image);
// The recorder should look.
void wake_recorder();
// False: it died, or takes no more.
bool recorder_is_there();
// Tells the recorder that something of this process can not be recorded.
void report_failure(uint32_t error);
// Before the first look at a thread seat: in a full /dev/shm even that would be fatal.
bool populate_seat(uint32_t index);
// Dormant from now on, all threads.
void stop_recording();
// Copies `module` into a file of the session, as module `number` of an image.
bool publish_module(const dprof_module *module, uint32_t image, uint32_t number);

} // namespace dprof
