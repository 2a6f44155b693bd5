// Stage: blocks. A process that runs one block and can do nothing else.
#pragma once

#include <sys/types.h>

#include <string>

#include "shared_window.h"

namespace dprof {

// What the child does before it leaves everything behind; the desk has the step that failed.
enum class Confinement : uint64_t { ready, parent, group, limits, files, ptrace, privileges, counter, window, seccomp };

const char *name_of(Confinement step);

constexpr int kept_file = 0; // the window's, in the child

// A traced child on its way to the harness; -1: fork failed. `is_counted`: it opens a counter of core cycles.
pid_t start_confined(SharedWindow &window, bool is_counted);

bool can_count_cycles();

} // namespace dprof
