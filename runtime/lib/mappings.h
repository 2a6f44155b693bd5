// Stage: runtime. Memory that other processes may have too -> MAPPING events: what the kernel says is mapped there.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace dprof {

// What of [address, address + bytes) is shared; nothing if nothing is.
void note_shared_memory(const void *address, size_t bytes);
// Nothing of it is shared any more. Costs nothing in a process that never had any.
void note_no_shared_memory(const void *address, size_t bytes);
// All that this process was born with, but what dprof itself maps.
void note_inherited_memory();
// Of the mapping that begins at `address`; 0: none does.
size_t mapped_bytes_at(const void *address);
// Whether there was any.
bool has_shared_memory();

} // namespace dprof
