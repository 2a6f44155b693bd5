// Stage: program, preloaded. Objects that are alive, by the cache lines in which they begin and end.
#pragma once

#include "dprof/histories_session.h"

namespace dprof {

constexpr uint64_t line_bytes = 64;

// The caller holds the session's lock.
void remember_object(const dprof_histories_object &object);
void forget_object(uint64_t address);
// Another one that has bytes in a line in which `object` begins or ends.
bool find_neighbour(const dprof_histories_object &object, dprof_histories_object *neighbour);

} // namespace dprof
