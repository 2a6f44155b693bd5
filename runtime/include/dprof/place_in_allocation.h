// Where an object of a type lies in an allocation: the one rule, for the collector of histories, whose preloaded
// library decides in the program, and for the sampler, which decides outside.
#pragma once

#include <stdint.h>

namespace dprof {

constexpr int64_t unknown_offset = INT64_MIN;
constexpr int64_t not_in_place = -1;

// `offset`: from the allocation's result to the type's first byte, according to the code behind the call. If it is
// unknown, the type lies at the beginning of the allocation, provided that the two sizes are equal. Returns the offset,
// or `not_in_place` if the place is unknown or the type does not fit.
inline int64_t place_in_allocation(int64_t offset, uint64_t type_bytes, uint64_t bytes) {
  if (offset == unknown_offset) return type_bytes == bytes ? 0 : not_in_place;
  if (offset < 0 || (uint64_t)offset > bytes || type_bytes > bytes - (uint64_t)offset) return not_in_place;
  return offset;
}

} // namespace dprof
