// Stage: replay. What waits for a slot's plain hits (hit_memos.h, steady_memos.h).
#pragma once

#include <cstdint>

namespace dprof {

/// What every hit reads: two of them are a host cache line.
struct alignas(32) HitMemo {
  uint64_t begin = 0, length = 0; // addresses that a hit may have; length 0: none
  uint64_t hits = 0;              // that wait
  uint32_t ofLines = 0;           // the object that the flow must have met last on the hit's line; 0: known already
  uint32_t met = 0;               // the object of the slot's last hit that was looked up

  /// A hit at the address, on the line, counts as the slot's hits before it. `objectOf`: of ObjectLines.
  template <bool WithFlow>
  [[gnu::always_inline]] bool holds(uint64_t address, uint32_t line, const uint32_t *objectOf) const {
    return address - begin < length && (!WithFlow || !ofLines || ofLines == objectOf[line]);
  }
};
static_assert(sizeof(HitMemo) == 32);

} // namespace dprof
