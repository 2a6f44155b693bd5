// Stage: replay. An object that has ended for good, or several that are alike in all that names them.
#pragma once

#include <cstdint>
#include <type_traits>

namespace dprof {

struct ObjectRow {
  static constexpr uint64_t NEVER = ~uint64_t{0};
  uint64_t address, sizeBytes, bornAt, diedAt /* or NEVER */, lives, lifetime, references;
  uint32_t number, allocationSlot, variable, freeSlot, type, thread, callPath;
  uint8_t kind : 4, window : 4; // window 0: it ended before the window that counts
  uint8_t core, flags;
  uint8_t counters; // so many stand behind it
};
static_assert(sizeof(ObjectRow) == 88 && std::is_trivially_copyable_v<ObjectRow>);

/// One of OBJECT_COUNTERS that is not 0.
struct ObjectCount {
  uint64_t counter, value;
};

} // namespace dprof
