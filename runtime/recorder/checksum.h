// Stage: recorder -> trace -> replay. CRC-32 as zlib computes it.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace dprof {

uint32_t checksum(const void *bytes, size_t count, uint32_t before = 0);

} // namespace dprof
