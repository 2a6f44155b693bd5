// Stage: runtime. Windows: when this process records references. docs/recording-windows.md says what each of them
// means.
#pragma once

#include <stdint.h>

namespace dprof {

// True once anything may open or close a window: before, paths are not looked at. All threads look.
extern bool windowed;

// Reads DPROF_WINDOW, before any module is registered.
void start_windows();
bool is_window_open();
// What the modules' `active` should be while the process records.
bool wants_references();
// A thread is about to log a path at `place`, having logged `words` since the last time.
void note_progress(uint64_t words, uintptr_t place);
// Whether every path must be announced: a function's entry is looked for.
bool watches_functions();
// Writes what changed since anybody last said so into this thread's log.
void log_due_marks();
// In a forked child, before it logs anything: its own trace says that it began closed.
void rejoin_windows();

} // namespace dprof
