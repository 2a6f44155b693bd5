// Stage: tests of the sampler. Streams of events and samples, as a file of text has them -> the sampler, as if a
// program had written them.
//
//   run FILE                          another sampler, whose samples go to FILE
//   allocate RING TIME ADDRESS BYTES  (or part, map)    free RING TIME ADDRESS [BYTES]  (or free-part, unmap)    kept
//   RING TIME ADDRESS sample TIME ADDRESS [DATA_SOURCE] settle TIME
// Numbers are decimal or 0x; a ring is a thread; objects are heap-BYTES@(unknown).
#pragma once

#include <string>

namespace dprof {

// The exit status.
int run_script(const std::string &path);

} // namespace dprof
