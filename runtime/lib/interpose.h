// Stage: runtime. The functions that the interposed functions and the rest of the runtime need from each other.
#pragma once

#include <stdint.h>

#include "session.h"
#include "system.h"
#include "thread_log.h"

#define DPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace dprof {

// The caller is a child of a bare `clone` system call, or of vfork: it has its parent's runtime, and nobody has told
// the runtime. It takes a system call, so only functions ask that make one themselves.
static inline bool is_of_another_process() {
  return __builtin_expect(recording, 0) && (uint32_t)system_call(SYS_getpid) != session.process->pid;
}

// Before the C library's strtok: what it will keep, which nobody sees (measure.cc).
void note_strtok(const char *text, const char *separators);

// Finds the functions that ours stand in front of.
void resolve_real_functions();

// Thread ends are noticed by the last destructor of a key of our own.
void make_thread_end_key();
void arm_thread_end();
// For a forked child: the forking thread's stack.
ThreadBirth birth_of_this_thread(uintptr_t main_stack_begin, uintptr_t main_stack_end);
// Around a fork, so that its child can create threads.
void hold_thread_starts();
void release_thread_starts();

} // namespace dprof
