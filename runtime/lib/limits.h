// Stage: runtime. What the process may have, and how much of its address space is ours.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace dprof {

// Of this process, now: RLIM_INFINITY where there is none.
uint64_t resource_limit(int resource);
// Before `bytes` are mapped. Under a limit for the address space: true if the limit could be raised by as much, or if
// it is a small part of what is left.
bool make_room_in_address_space(size_t bytes);

} // namespace dprof
