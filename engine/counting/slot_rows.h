// Stage: replay. Types of references: finds the row of the tallies in which a slot's reference to an object counts;
// docs/replay/objects.md, "Types of references".
#pragma once

#include "objects/leaves.h"
#include "objects/objects.h"
#include "objects/tallies.h"

namespace dprof {

class HitMemos;

class SlotRows {
public:
  /// A slot and its plain hits that are not in their rows yet. `hits`: references whose row follows from the slot
  /// alone. `objectHits`: references to objects with a declared type, for the row that was used last.
  struct alignas(16) State {
    uint64_t hits;
    uint32_t structType; // 0: its type is no struct, union or class
    uint32_t row;        // NO_INDEX: none yet
    uint64_t objectHits;
    uint32_t fieldOf; // it names its own field in objects of this declared type
    uint32_t objectRow;
    uint32_t objectType, objectLeaf;         // the object type and field of that row
    bool isStore, hasMemo, inSteady;         // hasMemo: of HitMemos; inSteady: of SteadyMemos, in a declared object
    uint8_t loaded;                          // OBJECT_LOADED if it is a load, else 0
    uint32_t stepKey;                        // of life.h, if the flow is wanted
    uint32_t otherRow, otherType, otherLeaf; // what the row for objects was before; type 0: nothing
    uint32_t type;                           // of the slot
  };
  static_assert(sizeof(State) == 64);
  /// The place in which a reference counts: a row, or the object's pending counts until the object ends.
  struct Target {
    uint32_t row = NO_INDEX; // NO_INDEX: the slot's own
    Pending *pending = nullptr;
    LiveObject *object = nullptr; // the object in which the reference lies
  };

  SlotRows(const Input &input, const Plans &plans, Tallies &tallies);
  /// The states of a core, by slot.
  State *states(uint32_t core) {
    if (states_[core].empty()) [[unlikely]]
      begin(core);
    return states_[core].data();
  }

  /// Whether the row of the slot's references to the object depends on their addresses: on the leaf.
  bool asksForField(uint32_t slot, const LiveObject &object) const {
    return object.declared && fresh_[slot].fieldOf != object.declared && input_.types.isStruct[object.declared];
  }

  /// The target of a reference to the object, or of `times` equal ones. The object counts them. `leaf` becomes the
  /// object's field if the object's type decides it. `Plain`: it is a plain hit, or the object's row may become that of
  /// the slot's plain hits.
  template <bool Plain = true>
  [[gnu::always_inline]] Target rowIn(LiveObject &object, State &state, uint32_t core, uint32_t slot, uint64_t address,
                                      uint32_t &leaf, uint64_t times = 1) {
    const uint32_t declared = object.declared;
    if (declared && !isMixed(object, state, address)) {
      object.references += times;
      if (state.fieldOf != declared) leaf = leafOf(object, address);
      return {objectRow<Plain>(state, core, slot, declared, leaf), nullptr, &object};
    }
    if (state.structType) {
      object.votes.add(state.structType, times);
    } else if (object.flags & OBJECT_HOLDS_MORE) {
      object.references += times;
      return {objectRow<Plain>(state, core, slot, declared, BEHIND), nullptr, &object};
    } else if (object.kind != GLOBAL) {
      if (!object.pending) [[unlikely]]
        object.pending = new Pending();
      return {NO_INDEX, object.pending, &object};
    } else {
      object.references += times;
    }
    return {NO_INDEX, nullptr, &object};
  }

  [[gnu::always_inline]] void count(const Target &target, uint32_t core, uint32_t slot, uint32_t bits,
                                    uint64_t times = 1) {
    if (target.pending)
      target.pending->add(core, slot, bits, times);
    else
      tallies_.add(target.row != NO_INDEX ? target.row : rowOfSlot(core, slot), bits, times);
  }
  /// `count` of a plain hit.
  [[gnu::always_inline]] void countPlain(const Target &target, uint32_t core, uint32_t slot, State &state,
                                         uint64_t times = 1) {
    if (target.pending)
      target.pending->add(core, slot, outcome::PLAIN | uint32_t{state.isStore}, times);
    else if (target.row == NO_INDEX)
      countOwn(slot, state, times);
    else
      state.objectHits += times;
  }
  /// Plain hits of which the row follows from the slot alone.
  [[gnu::always_inline]] void countOwn(uint32_t slot, State &state, uint64_t times = 1) {
    if (!state.hits && state.inSteady) [[unlikely]]
      oweRow(slot);
    state.hits += times;
  }
  /// Rows are in the order in which they were met, and the slot's own comes before the next one.
  static bool owesRow(const State &state) { return state.row == NO_INDEX && state.hits; }
  /// Adds all plain hits to their rows.
  void flush();
  HitMemos *memos = nullptr; // of the only core

private:
  static constexpr uint32_t BEHIND = NO_INDEX - 1; // instead of a leaf: behind the declared struct
  /// Whether the object has a declared type, but that is not the reference's.
  [[gnu::always_inline]] bool isMixed(const LiveObject &object, const State &state, uint64_t address) const {
    if (!(object.flags & (OBJECT_MEMORY | OBJECT_HOLDS_MORE))) [[likely]]
      return false;
    if (object.flags & OBJECT_HOLDS_MORE) return isBehind(input_, object, address);
    return state.structType || mayBePool(input_, object);
  }
  template <bool Plain>
  [[gnu::always_inline]] uint32_t objectRow(State &state, uint32_t core, uint32_t slot, uint32_t declared,
                                            uint32_t leaf) {
    if (state.objectType == declared && state.objectLeaf == leaf) [[likely]]
      return state.objectRow;
    if constexpr (!Plain) {
      if (state.otherType == declared && state.otherLeaf == leaf && !owesRow(state)) return state.otherRow;
      return rowOf(state, core, slot, declared, leaf);
    }
    changeObjectRow(state, core, slot, declared, leaf);
    return state.objectRow;
  }
  /// `referenceLeaf`, quick in the first element of a struct.
  [[gnu::always_inline]] uint32_t leafOf(const LiveObject &object, uint64_t address) const {
    const uint64_t offset = address - object.start - object.slotOffset; // before it: huge
    const Leaves &leaves = leaves_[object.declared];
    return offset < leaves.bytes ? leaves.at[offset] : otherLeaf(object, address);
  }
  [[gnu::noinline]] uint32_t otherLeaf(const LiveObject &object, uint64_t address) const {
    return referenceLeaf(input_, object, address);
  }
  void begin(uint32_t core);
  uint32_t rowOfSlot(uint32_t core, uint32_t slot);
  [[gnu::noinline]] void oweRow(uint32_t slot);
  uint32_t rowOf(State &state, uint32_t core, uint32_t slot, uint32_t declared, uint32_t leaf) {
    if (owesRow(state)) rowOfSlot(core, slot);
    Changed &lately = lately_[(slot * 0x9e3779b1u ^ declared * 0x85ebca6bu ^ leaf * 0xc2b2ae35u) >> (32 - LATELY_BITS)];
    if (lately.slot != slot || lately.declared != declared || lately.leaf != leaf || lately.core != core) [[unlikely]]
      makeRow(lately, core, slot, declared, leaf);
    return lately.row;
  }
  [[gnu::noinline]] void changeObjectRow(State &state, uint32_t core, uint32_t slot, uint32_t declared, uint32_t leaf);
  void flushHits(uint32_t core, uint32_t slot);

  struct Leaves {
    const uint16_t *at;
    uint64_t bytes; // before its flexible array; 0: it is no struct, or its fields are not known
  };
  const Input &input_;
  const Plans &plans_;
  Tallies &tallies_;
  std::vector<Leaves> leaves_; // by type
  std::vector<State> fresh_;
  std::vector<std::vector<State>> states_; // by core, from its first reference on
  /// Rows stay, so the one that a slot had for a type and a field is the same again.
  struct Changed {
    uint32_t slot = NO_INDEX, declared, leaf, core, row;
  };
  [[gnu::noinline]] void makeRow(Changed &lately, uint32_t core, uint32_t slot, uint32_t declared, uint32_t leaf);
  static constexpr unsigned LATELY_BITS = 10;
  std::vector<Changed> lately_; // by hash
};

} // namespace dprof
