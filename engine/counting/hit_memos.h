// Stage: replay. Plain hits that wait by slot. Most hits of a slot meet the object that its hit before met: such a hit
// looks nothing up, and only raises the count of its slot's memo.
//
// Exact because: what a hit counts to depends on its slot, on the object that it lies in, and on that object's type, or
// on the field of it at the address. A memo is of one life of one object, of addresses at which no other object hides
// it, and of one field if the type asks for it; the flow has heard of all their lines, and the life is in the slot's
// step. Whatever ends any of that says so (HitKeeper, SlotRows), and whoever reads what the hits count to does: the
// waiting hits are counted first. When a memo is made changes no count, so slots whose memos lately served nobody wait
// with the next.
#pragma once

#include "counting/slot_rows.h"
#include "flow/flow.h"
#include "objects/leaf_runs.h"

namespace dprof {

/// What every hit reads: two of them are a host cache line.
struct alignas(32) HitMemo {
  uint64_t begin = 0, length = 0; // addresses that a hit may have; length 0: none
  uint64_t hits = 0;              // that wait
  uint32_t ofLines = 0;           // the object that the flow must have met last on the hit's line; 0: known already
  uint32_t met = 0;               // the object of the slot's last hit that was looked up

  /// A hit at the address, on the line, counts as the slot's hits before it. `objectOf`: of ObjectLines.
  template <bool WithFlow>
  [[gnu::always_inline]] bool holds(uint64_t address, uint32_t line, const uint32_t *objectOf) const {
    return address - begin < length && (!WithFlow || !ofLines || ofLines == objectOf[line]);
  }
};
static_assert(sizeof(HitMemo) == 32);

class HitMemos final : public HitKeeper {
public:
  /// `flow`: null if nobody wants it.
  HitMemos(const Input &input, const Plans &plans, SlotRows &rows, Objects &objects, Flow *flow);
  HitMemo *data() { return memos_.data(); } // by slot
  /// A hit of the slot at the address was looked up and counted: makes or renews the slot's memo, if there can be one.
  /// A slot whose memos lately served no hit waits longer for its next one.
  void remember(uint32_t slot, SlotRows::State &state, LiveObject &object, uint64_t address, uint32_t size) {
    if (state.memoWait)
      state.memoWait--;
    else
      renew(slot, object, address, size);
  }
  /// The slot's next hit is looked up.
  void forget(uint32_t slot);
  void release(uint32_t live) override;
  /// The same for loads alone: the object is not OBJECT_LOADED any more.
  void releaseLoads(uint32_t live);
  /// Counts all hits that wait.
  void count();
  /// All next hits are looked up.
  void forgetAll();

private:
  /// Memos of an object are a list. Slots are numbered from 1 in it, 0 is its end.
  struct Link {
    uint32_t live = 0, next = 0, previous = 0;
    uint64_t hits = 0; // that waited when the slot's memo was renewed last
  };
  static constexpr uint8_t LONGEST_WAIT = 63;
  void wait(uint32_t slot, bool isLonger) {
    waits_[slot] = isLonger ? std::min<uint8_t>(waits_[slot] * 2 + 1, LONGEST_WAIT) : 0;
    rows_.states(0)[slot].memoWait = waits_[slot];
  }
  /// The slot's memo ends, or its addresses do.
  void judge(uint32_t slot) { wait(slot, memos_[slot].hits == links_[slot].hits); }
  [[gnu::noinline]] void renew(uint32_t slot, LiveObject &object, uint64_t address, uint32_t size);
  bool mayKeep(uint32_t slot, const LiveObject &object);
  void link(uint32_t slot, LiveObject &object, uint32_t live);
  void countHits(uint32_t slot);

  const Plans &plans_;
  LeafRuns leafRuns_;
  SlotRows &rows_;
  Objects &objects_;
  Flow *const flow_;
  std::vector<HitMemo> memos_;
  std::vector<Link> links_;     // by slot
  std::vector<uint8_t> waits_;  // by slot: the last one
  HugeVector<uint32_t> firsts_; // by number of the live object
};

} // namespace dprof
