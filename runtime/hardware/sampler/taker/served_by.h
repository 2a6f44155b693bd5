// Stage: sampler. perf_mem_data_src -> who supplied the bytes, an index of SERVED_BY in
// src/hardware/samples/served-by.ts, whose twin this is.
#pragma once

#include <stdint.h>

namespace dprof {

uint8_t served_by(uint64_t data_source);

} // namespace dprof
