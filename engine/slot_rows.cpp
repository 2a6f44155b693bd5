// Stage: replay. A slot's rows, and the fields of objects that say their type.
#include "slot_rows.h"

namespace dprof {

SlotRows::SlotRows(const Input &input, const Plans &plans, Tallies &tallies) : input_(input), plans_(plans), tallies_(tallies) {
  for (const SlotPlan &plan : plans.slots) {
    uint32_t declared = input.types.declared[plan.type];
    bool namesField = plan.hasPath && input.types.isStruct[declared];
    states_.push_back({0, plan.isStruct ? plan.type : 0, NO_INDEX, 0, namesField ? declared : 0, 0, 0, NO_INDEX, isStoreKind(plan.kind)});
  }
}

void SlotRows::flush() {
  for (uint32_t slot = 0; slot < states_.size(); slot++) flushHits(slot);
}

void SlotRows::flushHits(uint32_t slot) {
  State &state = states_[slot];
  if (state.hits) tallies_.plainHits(rowOfSlot(slot), state.isStore, state.hits);
  if (state.objectHits) tallies_.plainHits(state.objectRow, state.isStore, state.objectHits);
  state.hits = state.objectHits = 0;
}

uint32_t SlotRows::rowOfSlot(uint32_t slot) {
  uint32_t &row = states_[slot].row;
  if (row == NO_INDEX) row = tallies_.row(keyOfSlot(slot, plans_.slots[slot]));
  return row;
}

void SlotRows::changeObjectRow(State &state, uint32_t slot, uint32_t declared, uint32_t leaf) {
  flushHits(slot);
  state.objectRow = tallies_.row({slot, declared, leaf, BY_OBJECT, 0});
  state.objectType = declared;
  state.objectLeaf = leaf;
}

uint32_t SlotRows::leafAt(uint32_t type, int64_t offset) const {
  const auto &types = input_.types;
  uint32_t span = types.leafSpan[type];
  if (types.leafBase[type] == NO_INDEX || span == 0 || offset < 0) return NO_INDEX;
  uint64_t at = static_cast<uint64_t>(offset);
  if (at >= types.flexibleFrom[type]) return types.flexibleLeaf[type];
  return types.leafAt[types.leafBase[type] + (at < span ? at : at % span)];
}

uint32_t SlotRows::declaredLeaf(const LiveObject &object, uint64_t address) const {
  if (!input_.types.isStruct[object.declared]) return object.kind == HEAP ? NO_INDEX : object.variable;
  return leafAt(object.declared, static_cast<int64_t>(address - object.start - object.slotOffset));
}

} // namespace dprof
