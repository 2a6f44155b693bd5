// Stage: runtime. Windows: when this process records references. docs/recording-windows.md explains each of them.
#pragma once

#include <stdint.h>

namespace dprof {

// True once anything may open or close a window; before that, paths are not looked at. It is set for all threads.
extern bool windowed;

// Reads DPROF_WINDOW, before any module is registered.
void start_windows();
bool is_window_open();
// The value for the modules' `active` byte while the process records.
bool wants_references();
// A thread is about to log a path at `place`, having logged `words` since the last time.
void note_progress(uint64_t words, uintptr_t place);
// Whether every path must be announced, because a function's entry is awaited.
bool watches_functions();
// Logs the changes that no thread has logged yet into this thread's log.
void log_due_marks();
// To be called in a forked child, before it logs anything: its own trace says that it began closed.
void rejoin_windows();

} // namespace dprof
