// Stage: runtime. DPROF_OUT=FILE: the program starts its own recorder.
#pragma once

namespace dprof {

// Starts a recorder that writes `out` and returns its session directory; null if that fails. Children of the program
// find the session in their environment, and do not start another.
const char *start_own_recorder(const char *out);
bool records_itself();

} // namespace dprof
