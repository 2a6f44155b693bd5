// Stage: replay. What the caches ask of slots.
#include "cache_stage.h"

namespace dprof {

CacheStage::CacheStage(const Input &input, const Plans &plans)
    : hierarchy(input.machine), whole(input.machine.whole.plain ? nullptr : std::make_unique<WholeHierarchy>(input.machine)),
      onePlainCore_(input.machine.onePlainCore()), granulesShift_(input.machine.lineShift - PageMap::granuleShift), lineMask_((1u << input.machine.lineShift) - 1) {
  for (const SlotPlan &slot : plans.slots)
    shapes_.push_back({slot.size, isBlockKind(slot.kind), slot.kind >= DPROF_SLOT_ATOMIC_LOAD && slot.kind <= DPROF_SLOT_ATOMIC_RESULT});
  if (plans.kernelSlot != NO_INDEX) shapes_[plans.kernelSlot].isBlock = true;
}

} // namespace dprof
