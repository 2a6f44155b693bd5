// Stage: replay. Plain hits that wait by slot. Most hits of a slot meet the object that its hit before met: such a hit
// looks nothing up, and only raises the count of its slot's memo.
//
// Exact because: what a hit counts to depends on its slot, on the object that it lies in, and on that object's type, or
// on the field of it at the address. A memo is of one life of one object, of addresses at which no other object hides
// it, and of one field if the type asks for it; the flow has heard of all their lines, and the life is in the slot's
// step. Whatever ends any of that says so (HitKeeper, SlotRows), and whoever reads what the hits count to does: the
// waiting hits are counted first. When a memo is made changes no count, so slots whose memos lately served nobody wait
// with the next. Slots here are those of joined runs too: a run's memo is of addresses at which every word's would
// hold.
#pragma once

#include "counting/steady_memos.h"
#include "objects/leaf_runs.h"

namespace dprof {

class HitMemos final : public HitKeeper {
public:
  /// `flow`: null if nobody wants it.
  HitMemos(const Input &input, const Plans &plans, SlotRows &rows, Objects &objects, Flow *flow);
  HitMemo *data() { return memos_.data(); } // by slot
  void add(const JoinedRun &run);
  /// Null for a slot that is no run.
  /// Bytes of an access by the slot.
  uint32_t sizeOf(uint32_t slot) const { return plans_.slots[slot].size; }
  const JoinedRun *runOf(uint32_t slot) const {
    const Run *run = joined(slot);
    return run ? run->words : nullptr;
  }
  /// The granule of an address in the same line.
  uint32_t granuleOf(uint32_t granule, uint64_t address) const {
    return (granule & ~lineMask_ >> PageMap::granuleShift) |
           (static_cast<uint32_t>(address) & lineMask_) >> PageMap::granuleShift;
  }
  /// The object of the slot's memo.
  uint32_t liveOf(uint32_t slot) const { return links_[slot].live; }
  /// A hit of the slot at the address was looked up and counted: makes or renews the slot's memo, if there can be one.
  /// A slot whose memos lately served no hit waits longer for its next one.
  void remember(uint32_t slot, LiveObject &object, uint64_t address) {
    if (uint8_t &left = links_[slot].left)
      left--;
    else
      renew(slot, object, address);
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
  /// Whether there are memos of the object, beside those of steady paths.
  bool keeps(uint32_t live) const { return live < firsts_.size() && firsts_[live]; }
  /// Counts hits of the slot; `live`: 0 for those in no object.
  void countHits(uint32_t slot, uint32_t live, uint64_t address, uint64_t hits);

  SteadyMemos steady;

private:
  /// Memos of an object are a list. Slots are numbered from 1 in it, 0 is its end.
  struct Link {
    uint32_t live = 0, next = 0, previous = 0;
    uint64_t hits = 0;          // that waited when the slot's memo was renewed last
    uint8_t wait = 0, left = 0; // looked up hits before its next memo: at first, and now
  };
  struct Run {
    const JoinedRun *words;
    bool isOneStep, loads; // all of them are of one step of the flow; there is a load among them
  };
  /// Addresses of a hit of the slot, around one.
  struct Around {
    uint64_t first, last;
    uint32_t ofLines;
  };
  static constexpr uint8_t LONGEST_WAIT = 63;
  static constexpr uint64_t WORTH = 4; // a memo that serves fewer hits cost more to make
  const Run *joined(uint32_t slot) const { return slot < firstRun_ ? nullptr : &runs_[slot - firstRun_]; }
  void wait(uint32_t slot, bool isLonger) {
    Link &link = links_[slot];
    link.left = link.wait = isLonger ? std::min<uint8_t>(link.wait * 2 + 1, LONGEST_WAIT) : 0;
  }
  /// The slot's memo ends, or its addresses do.
  void judge(uint32_t slot) { wait(slot, memos_[slot].hits - links_[slot].hits < WORTH); }
  [[gnu::noinline]] void renew(uint32_t slot, LiveObject &object, uint64_t address);
  bool mayKeep(uint32_t slot, const LiveObject &object) const;
  Around around(uint32_t slot, const LiveObject &object, uint64_t address);
  Around aroundRun(const JoinedRun &run, const LiveObject &object, uint64_t address);
  void link(uint32_t slot, LiveObject &object, uint32_t live);
  void countHits(uint32_t slot, uint32_t live);

  const Plans &plans_;
  const uint32_t firstRun_; // slots: the program's, those of steady paths, those of runs
  const uint32_t lineMask_;
  LeafRuns leafRuns_;
  SlotRows &rows_;
  Objects &objects_;
  Flow *const flow_;
  std::vector<HitMemo> memos_;
  std::vector<Link> links_; // by slot
  std::vector<Run> runs_;
  HugeVector<uint32_t> firsts_; // by number of the live object
};

} // namespace dprof
