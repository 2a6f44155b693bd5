// Stage: replay. A slot's rows, and the fields of objects with a declared type.
#include "counting/slot_rows.h"

#include "counting/hit_memos.h"

namespace dprof {

SlotRows::SlotRows(const Input &input, const Plans &plans, Tallies &tallies)
    : input_(input), plans_(plans), tallies_(tallies), states_(input.machine.cores), lately_(size_t{1} << LATELY_BITS) {
  for (const SlotPlan &plan : plans.slots) {
    uint32_t declared = input.types.declared[plan.type];
    bool namesField = plan.hasPath && input.types.isStruct[declared];
    fresh_.push_back({0, plan.isStruct ? plan.type : 0, NO_INDEX, 0, namesField ? declared : 0, 0, 0, NO_INDEX,
                      isStoreKind(plan.kind), static_cast<uint8_t>(isStoreKind(plan.kind) ? 0 : OBJECT_LOADED), 0});
  }
}

void SlotRows::begin(uint32_t core) {
  states_[core] = fresh_;
  if (!input_.flow.asked) return;
  for (uint32_t slot = 0; slot < fresh_.size(); slot++)
    states_[core][slot].stepKey = stepKey(core, input_.flow.placeOf[slot]);
}

void SlotRows::flush() {
  for (uint32_t core = 0; core < states_.size(); core++)
    for (uint32_t slot = 0; slot < states_[core].size(); slot++) flushHits(core, slot);
}

void SlotRows::flushHits(uint32_t core, uint32_t slot) {
  State &state = states_[core][slot];
  if (state.hits) tallies_.plainHits(rowOfSlot(core, slot), state.isStore, state.hits);
  if (state.objectHits) tallies_.plainHits(state.objectRow, state.isStore, state.objectHits);
  state.hits = state.objectHits = 0;
}

uint32_t SlotRows::rowOfSlot(uint32_t core, uint32_t slot) {
  uint32_t &row = states_[core][slot].row;
  if (row == NO_INDEX) row = tallies_.row(keyOfSlot(slot, static_cast<uint8_t>(core), plans_.slots[slot]));
  return row;
}

void SlotRows::changeObjectRow(State &state, uint32_t core, uint32_t slot, uint32_t declared, uint32_t leaf) {
  if (memos) memos->forget(slot); // its hits count to the row before
  const uint32_t row = rowOf(state, core, slot, declared, leaf);
  if (state.objectHits) tallies_.plainHits(state.objectRow, state.isStore, state.objectHits);
  state.objectHits = 0;
  state.objectRow = row;
  state.objectType = declared;
  state.objectLeaf = leaf;
}

void SlotRows::makeRow(Changed &lately, uint32_t core, uint32_t slot, uint32_t declared, uint32_t leaf) {
  const uint8_t core8 = static_cast<uint8_t>(core);
  lately = {slot, declared, leaf, core,
            tallies_.row(leaf == BEHIND ? TallyKey{slot, declared, NO_INDEX, BY_BEHIND, core8, 0}
                                        : TallyKey{slot, declared, leaf, BY_OBJECT, core8, 0})};
}

} // namespace dprof
