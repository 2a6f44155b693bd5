// Stage: replay. A slot's rows, and the fields of objects with a declared type.
#include "counting/slot_rows.h"

#include <algorithm>

#include "counting/hit_memos.h"

namespace dprof {

SlotRows::SlotRows(const Input &input, const Plans &plans, Tallies &tallies)
    : input_(input), plans_(plans), tallies_(tallies), states_(input.machine.cores), lately_(size_t{1} << LATELY_BITS) {
  const auto &types = input.types;
  for (uint32_t type = 0; type < types.declared.count; type++) {
    const bool isKnown = types.isStruct[type] && types.leafBase[type] != NO_INDEX;
    leaves_.push_back({isKnown ? types.leafAt.data + types.leafBase[type] : nullptr,
                       isKnown ? std::min(types.leafSpan[type], types.flexibleFrom[type]) : 0});
  }
  for (const SlotPlan &plan : plans.slots) {
    uint32_t declared = input.types.declared[plan.type];
    bool namesField = plan.hasPath && input.types.isStruct[declared];
    fresh_.push_back({0, plan.isStruct ? plan.type : 0, NO_INDEX, 0, namesField ? declared : 0, 0, 0, NO_INDEX,
                      isStoreKind(plan.kind), false, false,
                      static_cast<uint8_t>(isStoreKind(plan.kind) ? 0 : OBJECT_LOADED), 0, 0, 0, 0, plan.type});
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
  if (state.hasMemo) memos->forget(slot); // its hits count to the row before
  const bool isOther = state.otherType == declared && state.otherLeaf == leaf && !owesRow(state);
  const uint32_t row = isOther ? state.otherRow : rowOf(state, core, slot, declared, leaf);
  if (state.objectHits) tallies_.plainHits(state.objectRow, state.isStore, state.objectHits);
  state.objectHits = 0;
  state.otherRow = state.objectRow;
  state.otherType = state.objectType;
  state.otherLeaf = state.objectLeaf;
  state.objectRow = row;
  state.objectType = declared;
  state.objectLeaf = leaf;
}

/// Steady paths that would ask for another row count their hits before.
void SlotRows::oweRow(uint32_t slot) {
  if (states_[0][slot].row == NO_INDEX) memos->steady.releaseSlot(slot);
}

void SlotRows::makeRow(Changed &lately, uint32_t core, uint32_t slot, uint32_t declared, uint32_t leaf) {
  const uint8_t core8 = static_cast<uint8_t>(core);
  lately = {slot, declared, leaf, core,
            tallies_.row(leaf == BEHIND ? TallyKey{slot, declared, NO_INDEX, BY_BEHIND, core8, 0}
                                        : TallyKey{slot, declared, leaf, BY_OBJECT, core8, 0})};
}

} // namespace dprof
