// Stage: replay. Plain hits of steady paths (batch/steady_path.h): all words of such a path count as they did before,
// so an execution only raises the count of the path's memo.
//
// Exact because: each word keeps to one address. A memo is of lives of objects that nothing hides, which have met all
// these lines and bytes in the step of the words' slots. Whatever ends any of that is told to HitMemos, which asks here
// too. That no object lies at a word that met none, and none was freed there, is looked up each time. All rows are
// known since the hits that were looked up, and none comes to be owed meanwhile (SlotRows::owesRow): they stay in
// order.
#pragma once

#include "batch/steady_path.h"
#include "counting/hit_memo.h"
#include "counting/slot_rows.h"
#include "flow/flow.h"
#include "trace/joined_runs.h"

namespace dprof {

class HitMemos;

class SteadyMemos {
public:
  SteadyMemos(HitMemos &memos, SlotRows &rows, Objects &objects, Flow *flow, uint32_t firstSlot)
      : memos_(memos), rows_(rows), objects_(objects), flow_(flow), firstSlot_(firstSlot), all_(STEADY_SLOTS) {}

  bool isSteady(uint32_t slot) const { return slot - firstSlot_ < STEADY_SLOTS; }
  void set(const SteadySlot &of);
  const SteadyPath &pathOf(uint32_t slot) const { return *of(slot).path; }
  /// Whether an execution that the slot's memo leaves open counts as those before it.
  bool holds(uint32_t slot) const;
  /// All hits of an execution were looked up and counted: makes the slot's memo, if there can be one.
  void remember(uint32_t slot) {
    if (uint8_t &left = of(slot).left)
      left--;
    else
      make(slot);
  }
  /// The slot's next execution is looked up.
  void forget(uint32_t slot);
  /// Whether there are memos of the object.
  bool keeps(uint32_t live) const { return live < firsts_.size() && firsts_[live]; }
  void release(uint32_t live, bool onlyLoads);
  /// Those with hits by this slot.
  void releaseSlot(uint32_t programSlot);
  void count();
  void forgetAll();

private:
  struct Word {
    uint32_t slot, live; // 0: in no object
    uint64_t address;
  };
  /// Memos of an object are a list of places; 0 is its end.
  struct Node {
    uint32_t live, next, previous;
    bool loads; // the path loads from the object
  };
  struct Steady {
    std::shared_ptr<const SteadyPath> path;
    bool isKept = false; // what follows is of the memo
    std::vector<Word> words;
    std::vector<Node> nodes;
    std::vector<uint32_t> empty; // granules of words in no object
    uint8_t wait = 0, left = 0;  // executions looked up before the next memo: at first, and now
  };
  static constexpr uint32_t MOST_OBJECTS = 64;
  static constexpr uint8_t LONGEST_WAIT = 63;
  static constexpr uint64_t WORTH = 4; // a memo that serves fewer executions cost more to make

  Steady &of(uint32_t slot) { return all_[slot - firstSlot_]; }
  const Steady &of(uint32_t slot) const { return all_[slot - firstSlot_]; }
  Node &node(uint32_t place) { return all_[(place - 1) / MOST_OBJECTS].nodes[(place - 1) % MOST_OBJECTS]; }
  void wait(Steady &of) { of.left = of.wait = std::min<uint8_t>(of.wait * 2 + 1, LONGEST_WAIT); }
  [[gnu::noinline]] void make(uint32_t slot);
  bool addWord(Steady &of, uint32_t slot, uint32_t granule, uint64_t address);
  bool addObject(Steady &of, uint32_t live, bool loads);
  void link(uint32_t slot);
  void unlink(Steady &of);
  void countHits(uint32_t slot);

  HitMemos &memos_;
  SlotRows &rows_;
  Objects &objects_;
  Flow *const flow_;
  const uint32_t firstSlot_;
  std::vector<Steady> all_;
  HugeVector<uint32_t> firsts_; // by number of the live object
};

} // namespace dprof
