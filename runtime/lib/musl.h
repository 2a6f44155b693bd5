// Stage: runtime, in programs whose C library is a musl that records itself (--libc=musl, docs/musl.md). What the
// runtime needs of that library, and how it calls it without being recorded.
#pragma once

#include "log_buffer.h"

namespace dprof {

// While one of these lives, what this thread's functions do is written where nobody reads: the runtime calls the C
// library, which is instrumented, for itself. A signal handler that comes meanwhile is not recorded either. Elsewhere
// the C library records nothing.
class Silenced {
#ifdef DPROF_MUSL
public:
  Silenced() : seat_(thread_log.seat), paths_(__dprof_thread), flags_(thread_log.flags) {
    thread_log.flags |= THREAD_SETTING_UP;
    thread_log.seat = nullptr;
    point_at_scratch(1);
  }
  ~Silenced() {
    thread_log.seat = seat_;
    thread_log.flags = flags_;
    __dprof_thread = paths_;
  }
  Silenced(const Silenced &) = delete;
  Silenced &operator=(const Silenced &) = delete;

private:
  dprof_session_seat *seat_;
  dprof_thread_cursor paths_;
  uint16_t flags_;
#else
public:
  Silenced() {}
#endif
};

#ifdef DPROF_MUSL

// As musl's headers have it for pthread_cleanup_push; glibc's headers make something else of that.
struct CleanupRecord {
  void (*function)(void *);
  void *argument;
  CleanupRecord *next;
};
extern "C" void _pthread_cleanup_push(CleanupRecord *, void (*)(void *), void *);
extern "C" void _pthread_cleanup_pop(CleanupRecord *, int);

class CancelledWait {
public:
  CancelledWait(void (*function)(void *), void *argument) {
    Silenced silenced;
    _pthread_cleanup_push(&record_, function, argument);
  }
  void did_not_happen() {
    Silenced silenced;
    _pthread_cleanup_pop(&record_, 0);
  }

private:
  CleanupRecord record_;
};

// musl_system_calls.cc: what the kernel filled in a call that answered `result`.
void log_kernel_writes(long number, const long (&arguments)[6], long result);
// process.cc: the system call, and what has to be done around it.
long fork_recorded();

#endif

} // namespace dprof
