// Stage: trace -> placing. What the slots of a segment access, in their order. Only accesses of bytes are told.
#pragma once

#include "trace/record_plan.h"

namespace dprof {

/// `take.access(slot, address, size)`: a load, store, atomic, or lane of a vector. `take.block(slot, address, size)`: a
/// fill or scan. `take.copy(slot, source, destination, size)`: the slot behind it stores.
template <typename Take>
void eachAccess(const Plans &plans, const RecordPlan &plan, const uint64_t *words, Take &take) {
  for (uint32_t number = plan.firstSlot, end = number + plan.slotCount; number < end; number++) {
    const SlotPlan &slot = plans.slots[number];
    const uint64_t lane = slot.size;
    switch (slot.kind) {
      case DPROF_SLOT_SITE:
      case DPROF_SLOT_VALUE:
      case DPROF_SLOT_ARGUMENT:
      case DPROF_SLOT_OBJECT:
      case DPROF_SLOT_COPY_STORE: break; // with its load
      case DPROF_SLOT_COPY_LOAD: {
        const uint32_t length = plans.slots[number + 1].size;
        if (const uint64_t size = length == DPROF_SIZE_DYNAMIC ? words[2] : length)
          take.copy(number, words[0], words[1], size);
        break;
      }
      case DPROF_SLOT_FILL:
      case DPROF_SLOT_SCAN:
        if (const uint64_t size = slot.size == DPROF_SIZE_DYNAMIC ? words[1] : slot.size)
          take.block(number, words[0], size);
        break;
      case DPROF_SLOT_MASKED_LOAD:
      case DPROF_SLOT_MASKED_STORE:
        for (uint32_t i = 0; lane && i < slot.lanes && i < 64; i++)
          if (words[1] >> i & 1) take.access(number, words[0] + i * lane, lane);
        break;
      case DPROF_SLOT_GATHER:
      case DPROF_SLOT_SCATTER:
        for (uint32_t i = 0; lane && i < slot.lanes; i++)
          if (words[i]) take.access(number, words[i], lane);
        break;
      default:
        if (slot.size) take.access(number, words[0], slot.size);
    }
    words += wordsOfSlot(slot);
  }
}

} // namespace dprof
