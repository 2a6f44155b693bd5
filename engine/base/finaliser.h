// Stage: replay. 32 bits to 32 bits that look random: the finaliser of MurmurHash3, one to one. src/base/finaliser.ts
// is the same.
#pragma once

#include <cstdint>

namespace dprof {

inline uint32_t finalise(uint32_t bits) {
  bits = (bits ^ bits >> 16) * 0x85ebca6bu;
  bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
  return bits ^ bits >> 16;
}

} // namespace dprof
