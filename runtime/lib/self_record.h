// Stage: runtime. DPROF_OUT=FILE: the program starts its own recorder.
#pragma once

namespace dprof {

// The session directory of a fresh recorder that writes `out`; null if there is none to be had. Children of the program
// find the session in their environment, and not the wish to start another.
const char *start_own_recorder(const char *out);
bool records_itself();

} // namespace dprof
