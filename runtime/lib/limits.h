// Stage: runtime. The limits of the process, and the share of its address space that is ours.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace dprof {

// The present limit of this process; RLIM_INFINITY if there is none.
uint64_t resource_limit(int resource);
// To be called before `bytes` are mapped. True if there is no limit for the address space, if the limit could be raised
// by as much, or if `bytes` is a small part of the room that is left.
bool make_room_in_address_space(size_t bytes);

} // namespace dprof
