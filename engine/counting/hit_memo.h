// Stage: replay. Where a slot's last plain hits counted. Most hits of a slot meet the line and the object that its hit
// before met; such a hit counts where that one did, and nothing is looked up.
//
// Exact because: what a hit counts to depends on its slot, on the object that it lies in, and on that object's type.
// While none of these changes for a line, its version (Objects) stays. A memo covers bytes of one line that belong to
// one object, and only where the type does not ask for the offset.
#pragma once

#include <cstdint>

#include "flow/life.h"

namespace dprof {

struct alignas(64) HitMemo {
  uint64_t first = 0;        // address
  uint32_t length = 0;       // bytes from there on; 0: none
  uint32_t line = 0;         // of these bytes; without any: of the slot's last hit that was looked up
  uint32_t version = 0;      // of the line
  uint32_t live = 0;         // the object's number
  uint32_t size = 0;         // of an access
  uint64_t *count = nullptr; // the object's references or votes; null: its pending counts
  uint64_t *row = nullptr;   // the slot's plain hits that are not in their row yet
  StepKey stepKey = 0;       // if the flow is wanted
  uint8_t loaded = 0;        // as SlotRows::State has it

  bool holds(uint64_t address) const { return address - first < length; }
};

} // namespace dprof
