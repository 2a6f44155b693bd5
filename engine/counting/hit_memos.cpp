// Stage: replay. Memos are made, and the hits that wait in them are counted.
#include "counting/hit_memos.h"

namespace dprof {

HitMemos::HitMemos(const Input &input, const Plans &plans, SlotRows &rows, Objects &objects, Flow *flow)
    : steady(*this, rows, objects, flow, static_cast<uint32_t>(plans.slots.size())), plans_(plans),
      firstRun_(static_cast<uint32_t>(plans.slots.size()) + STEADY_SLOTS),
      lineMask_((1u << input.machine.lineShift) - 1), leafRuns_(input), rows_(rows), objects_(objects), flow_(flow),
      memos_(firstRun_), links_(firstRun_) {}

void HitMemos::add(const JoinedRun &run) {
  Run of{&run, true, false};
  for (const JoinedWord &word : run) {
    of.isOneStep &= rows_.states(0)[word.slot].stepKey == rows_.states(0)[run[0].slot].stepKey;
    of.loads |= rows_.states(0)[word.slot].loaded != 0;
  }
  runs_.push_back(of);
  memos_.emplace_back();
  links_.emplace_back();
}

/// Whether hits of the slot in the object, or in one of its fields, count alike.
bool HitMemos::mayKeep(uint32_t slot, const LiveObject &object) const {
  if (object.hidden || object.flags & OBJECT_HOLDS_MORE) return false;
  if (const Run *run = joined(slot)) return run->isOneStep; // its slots are of loads, stores and atomics
  return !plans_.hasBlockBytes(slot);                       // these are of any size
}

HitMemos::Around HitMemos::around(uint32_t slot, const LiveObject &object, uint64_t address) {
  Around of{object.start, lastOf(object.start, object.size), 0};
  if (flow_) {
    const Flow::Known known = flow_->knownAround(object, address, plans_.slots[slot].size);
    of = {known.first, known.last, known.ofLines};
  }
  if (rows_.asksForField(slot, object)) leafRuns_.narrow(object, address, of.first, of.last);
  return of;
}

/// All words lie in the line of the hit.
HitMemos::Around HitMemos::aroundRun(const JoinedRun &run, const LiveObject &object, uint64_t address) {
  Around of{0, ~uint64_t{0}, 0};
  for (const JoinedWord &word : run) {
    const Around here = around(word.slot, object, address + word.offset);
    of.first = std::max(of.first, here.first - std::min<uint64_t>(here.first, word.offset));
    of.last = std::min(of.last, here.last - word.offset);
    of.ofLines = std::max(of.ofLines, here.ofLines); // 0, or one number for all
  }
  return of;
}

void HitMemos::renew(uint32_t slot, LiveObject &object, uint64_t address) {
  const uint32_t live = objects_.numberOf(object);
  HitMemo &memo = memos_[slot];
  if (links_[slot].live == live) {
    judge(slot);
    links_[slot].hits = memo.hits;
  } else {
    if (!mayKeep(slot, object)) return wait(slot, true);
    forget(slot);
    link(slot, object, live);
  }
  const Run *run = joined(slot);
  const Around of = run ? aroundRun(*run->words, object, address) : around(slot, object, address);
  memo.begin = of.first;
  memo.length = of.last - of.first + 1;
  memo.ofLines = of.ofLines;
}

void HitMemos::link(uint32_t slot, LiveObject &object, uint32_t live) {
  if (live >= firsts_.size()) firsts_.resize(std::max<size_t>(live + 1, firsts_.size() * 2));
  uint32_t &first = firsts_[live];
  Link &of = links_[slot];
  of.live = live;
  of.next = first;
  of.previous = 0;
  of.hits = 0;
  if (first) links_[first - 1].previous = slot + 1;
  first = slot + 1;
  object.keepsHits = true;
  if (!runOf(slot)) rows_.states(0)[slot].hasMemo = true;
}

/// Its hits are counted last: that may forget other slots.
void HitMemos::forget(uint32_t slot) {
  Link &link = links_[slot];
  const uint32_t live = link.live;
  if (!live) return;
  judge(slot);
  memos_[slot].length = 0;
  uint32_t &before = link.previous ? links_[link.previous - 1].next : firsts_[live];
  before = link.next;
  if (link.next) links_[link.next - 1].previous = link.previous;
  if (!firsts_[live] && !steady.keeps(live)) objects_.at(live).keepsHits = false;
  link.live = link.next = link.previous = 0;
  if (!runOf(slot)) rows_.states(0)[slot].hasMemo = false;
  countHits(slot, live);
}

void HitMemos::release(uint32_t live) {
  while (keeps(live)) forget(firsts_[live] - 1);
  steady.release(live, false);
}

void HitMemos::releaseLoads(uint32_t live) {
  steady.release(live, true);
  for (uint32_t next = keeps(live) ? firsts_[live] : 0; next;) {
    const uint32_t slot = next - 1;
    const Run *run = joined(slot);
    next = links_[slot].next;
    if (run ? run->loads : rows_.states(0)[slot].loaded != 0) forget(slot);
  }
}

/// Its waiting hits met this object.
void HitMemos::countHits(uint32_t slot, uint32_t live) {
  HitMemo &memo = memos_[slot];
  if (!memo.hits) return;
  const uint64_t hits = std::exchange(memo.hits, 0);
  const Run *run = joined(slot);
  if (!run) return countHits(slot, live, memo.begin, hits);
  for (const JoinedWord &word : *run->words) countHits(word.slot, live, memo.begin + word.offset, hits);
}

void HitMemos::countHits(uint32_t slot, uint32_t live, uint64_t address, uint64_t hits) {
  SlotRows::State &state = rows_.states(0)[slot];
  if (!live) return rows_.countPlain({}, 0, slot, state, hits);
  LiveObject &object = objects_.at(live);
  uint32_t leaf = NO_INDEX;
  rows_.countPlain(rows_.rowIn(object, state, 0, slot, address, leaf, hits), 0, slot, state, hits);
  if (flow_) flow_->lifeOf(object).hits += hits;
}

void HitMemos::count() {
  for (uint32_t slot = 0; slot < memos_.size(); slot++)
    if (!steady.isSteady(slot)) countHits(slot, links_[slot].live);
  steady.count();
}

void HitMemos::forgetAll() {
  for (uint32_t slot = 0; slot < memos_.size(); slot++) forget(slot);
  steady.forgetAll();
}

} // namespace dprof
