// Stage: trace -> replay. Decoded steps -> the same steps with addresses as the replay knows them, in place: those of
// one of several processes, and those in renamed memory (order/renames.h).
#pragma once

#include "trace/decoder.h"

namespace dprof {

/// A vector is where its first active lane is: its base may lie below 0, and counts modulo 2^64.
template <typename Space> void placeVector(const Space &space, const SlotPlan &slot, uint64_t *words) {
  for (uint32_t lane = 0; lane < slot.lanes && lane < 64; lane++) {
    if (!(words[1] >> lane & 1)) continue;
    uint64_t active = words[0] + uint64_t{lane} * slot.size;
    words[0] += space.place(active) - active;
    return;
  }
}

template <typename Space>
void placeRecord(const Space &space, const Plans &plans, const RecordPlan &record, uint64_t *words) {
  if (record.tag == DPROF_RECORD_ALLOCATION) {
    words[0] = space.placeAllocated(words[0]);
    return;
  }
  if (record.tag == DPROF_RECORD_FREE) {
    words[0] = space.place(words[0]);
    return;
  }
  for (uint32_t i = record.firstSlot; i < record.firstSlot + record.slotCount; i++) {
    const SlotPlan &slot = plans.slots[i];
    uint64_t count = wordsOfSlot(slot);
    switch (slot.kind) {
      case DPROF_SLOT_SITE:
      case DPROF_SLOT_VALUE:
      case DPROF_SLOT_ARGUMENT: break;
      case DPROF_SLOT_MASKED_LOAD:
      case DPROF_SLOT_MASKED_STORE: placeVector(space, slot, words); break;
      case DPROF_SLOT_GATHER:
      case DPROF_SLOT_SCATTER:
        for (uint64_t lane = 0; lane < count; lane++) words[lane] = space.place(words[lane]);
        break;
      default: words[0] = space.place(words[0]);
    }
    words += count;
  }
}

/// Steps without whole loops.
inline void placeSteps(SpaceCursor &space, const Plans &plans, Batch &batch) {
  uint64_t *words = batch.words.data();
  Event *event = batch.events.data();
  for (size_t i = 0; i < batch.stepCount; i++) {
    if (batch.steps[i] == EVENT_STEP) {
      space.place(*event++);
      continue;
    }
    const RecordPlan &record = plans.records[batch.steps[i]];
    if (record.stamped) space.place(*event++);
    placeRecord(space, plans, record, words);
    words += record.codedWords;
  }
}

} // namespace dprof
