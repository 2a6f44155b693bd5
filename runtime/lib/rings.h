// Stage: runtime. io_uring: the rings of this process -> RELEASE before requests are submitted, ACQUIRE when
// completions are seen, and the ranges that the kernel filled for them.
//
// The plugin adds calls of `__dprof_ring_*` (rings.cc) where the program sets up a ring, submits, or looks at a tail.
// All that is read is the rings themselves, which the program has mapped, and the program's requests.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace dprof {

// Whether there was any ring.
extern bool has_rings;
// The program unmaps memory: a ring that lies there is gone.
void forget_rings(const void *address, size_t bytes);

} // namespace dprof
