// Stage: replay. Where a core's plain hits of a slot count, as the last one found it: the next hit in the same object
// searches nothing.
//
// Exact because: the search depends on the slot, the core, the object at the address, its type, and the field if the
// type asks for it. A memo is of addresses of one field of one object that no other object hides, and all memos end
// when any object may change. What else a hit changes (cores and stores of the object and the line, the flow's step) is
// looked at for every hit, and counts change at once.
#pragma once

#include "counting/slot_rows.h"
#include "flow/life.h"
#include "objects/leaf_runs.h"

namespace dprof {

struct alignas(64) CoreHit {
  uint64_t begin = 0, length = 0; // addresses that a hit may have; length 0: none
  LiveObject *object = nullptr;
  Life *life = nullptr;           // if the flow is wanted
  uint64_t *references = nullptr; // the object's count of them, or of its votes
  uint64_t *hits = nullptr;       // of the slot's state; null: the object's pending counts have them
  uint32_t leaf = 0;
  StepKey stepKey = 0; // if the flow is wanted
  uint8_t loaded = 0;  // OBJECT_LOADED if the slot loads
  bool isKept = false; // CoreHits will end it
  bool hasRow = false; // its row is there, so hits may reach it later
};

class CoreHits {
public:
  CoreHits(const Input &input, const Plans &plans) : plans_(plans), leafRuns_(input), memos_(input.machine.cores) {}
  /// By slot.
  CoreHit *of(uint32_t core) {
    if (memos_[core].empty()) [[unlikely]]
      memos_[core].resize(plans_.slots.size());
    return memos_[core].data();
  }
  /// A hit at the address counted so. `life`: the object's, if the flow is wanted. `pending`: its target's.
  void remember(CoreHit &memo, const Reference &reference, const SlotRows &rows, SlotRows::State &state,
                LiveObject &object, Life *life, uint32_t leaf, const SlotRows::Target &target) {
    if (reference.size == SIZE_BY_SLOT || object.hidden || object.flags & OBJECT_HOLDS_MORE) {
      memo.length = 0;
      return;
    }
    const uint32_t slot = reference.slot;
    uint64_t first = object.start, last = lastOf(object.start, object.size);
    if (rows.asksForField(slot, object)) leafRuns_.narrow(object, reference.address, first, last);
    if (!memo.isKept) kept_.push_back(&memo);
    const bool votes = target.row == NO_INDEX && state.structType && !target.pending;
    memo = {first,
            last - first + 1,
            &object,
            life,
            target.pending ? &nobodys_
            : votes        ? object.votes.countOf(state.structType)
                           : &object.references,
            target.pending           ? nullptr
            : target.row == NO_INDEX ? &state.hits
                                     : &state.objectHits,
            leaf,
            state.stepKey,
            state.loaded,
            true,
            target.pending || target.row != NO_INDEX || state.row != NO_INDEX};
  }
  /// All next hits search.
  void forgetAll() {
    for (CoreHit *memo : kept_) {
      memo->length = 0;
      memo->isKept = false;
    }
    kept_.clear();
  }

private:
  const Plans &plans_;
  LeafRuns leafRuns_;
  std::vector<std::vector<CoreHit>> memos_; // by core, from its first hit on
  std::vector<CoreHit *> kept_;
  uint64_t nobodys_ = 0;
};

} // namespace dprof
