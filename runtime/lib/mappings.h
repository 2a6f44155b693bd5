// Stage: runtime. Memory that other processes may share -> MAPPING events, from the kernel's list of mappings.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace dprof {

// Notes the shared parts of [address, address + bytes), if there are any.
void note_shared_memory(const void *address, size_t bytes);
// No part of it is shared any more. Costs nothing in a process that never had shared memory.
void note_no_shared_memory(const void *address, size_t bytes);
// Notes the memory with which this process was born, except dprof's own mappings.
void note_inherited_memory();
// Size of the mapping that begins at `address`; 0: none does.
size_t mapped_bytes_at(const void *address);
// Whether there was any shared memory.
bool has_shared_memory();

} // namespace dprof
