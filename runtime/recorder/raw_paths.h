// Stage: recorder. One thread's raw words -> the words of a RAW chunk (dprof/live_trace.h): the loop of path_loop.h
// without predictions, for a reader that is there already and keeps nothing.
#pragma once

#include "path_loop.h"

namespace dprof {

// As PathLoops::encode. The words go where the differences would; `control`, `run` and `base` stay as they are.
void copy_short_paths(PathLoop &loop);

} // namespace dprof
