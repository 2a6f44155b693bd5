// Stage: replay. Memos are made, and the hits that wait in them are counted.
#include "counting/hit_memos.h"

namespace dprof {

HitMemos::HitMemos(const Input &input, const Plans &plans, SlotRows &rows, Objects &objects, Flow *flow)
    : plans_(plans), leafRuns_(input), rows_(rows), objects_(objects), flow_(flow), memos_(plans.slots.size()),
      links_(plans.slots.size()), waits_(plans.slots.size()) {}

/// Whether hits of the slot in the object, or in one of its fields, count alike.
bool HitMemos::mayKeep(uint32_t slot, const LiveObject &object) {
  if (object.hidden || object.flags & OBJECT_HOLDS_MORE) return false;
  return !isBlockKind(plans_.slots[slot].kind) && slot != plans_.kernelSlot; // these are of any size
}

void HitMemos::renew(uint32_t slot, LiveObject &object, uint64_t address, uint32_t size) {
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
  uint64_t first = object.start, last = lastOf(object.start, object.size);
  if (flow_) {
    const Flow::Known known = flow_->knownAround(object, address, size);
    first = known.first;
    last = known.last;
    memo.ofLines = known.ofLines;
  }
  if (rows_.asksForField(slot, object)) leafRuns_.narrow(object, address, first, last);
  memo.begin = first;
  memo.length = last - first + 1;
}

void HitMemos::link(uint32_t slot, LiveObject &object, uint32_t live) {
  if (live >= firsts_.size()) firsts_.resize(std::max<size_t>(live + 1, firsts_.size() * 2));
  uint32_t &first = firsts_[live];
  links_[slot] = {live, first, 0, 0};
  if (first) links_[first - 1].previous = slot + 1;
  first = slot + 1;
  object.keepsHits = true;
  rows_.states(0)[slot].hasMemo = true;
}

void HitMemos::forget(uint32_t slot) {
  Link &link = links_[slot];
  if (!link.live) return;
  judge(slot);
  countHits(slot);
  memos_[slot].length = 0;
  uint32_t &before = link.previous ? links_[link.previous - 1].next : firsts_[link.live];
  before = link.next;
  if (link.next) links_[link.next - 1].previous = link.previous;
  if (!firsts_[link.live]) objects_.at(link.live).keepsHits = false;
  link = {};
  rows_.states(0)[slot].hasMemo = false;
}

void HitMemos::release(uint32_t live) {
  for (uint32_t next = firsts_[live]; next;) {
    const uint32_t slot = next - 1;
    next = links_[slot].next;
    judge(slot);
    countHits(slot);
    memos_[slot].length = 0;
    links_[slot] = {};
    rows_.states(0)[slot].hasMemo = false;
  }
  firsts_[live] = 0;
  objects_.at(live).keepsHits = false;
}

void HitMemos::releaseLoads(uint32_t live) {
  for (uint32_t next = firsts_[live]; next;) {
    const uint32_t slot = next - 1;
    next = links_[slot].next;
    if (rows_.states(0)[slot].loaded) forget(slot);
  }
}

void HitMemos::countHits(uint32_t slot) {
  HitMemo &memo = memos_[slot];
  if (!memo.hits) return;
  LiveObject &object = objects_.at(links_[slot].live);
  SlotRows::State &state = rows_.states(0)[slot];
  uint32_t leaf = NO_INDEX;
  rows_.countPlain(rows_.rowIn(object, state, 0, slot, memo.begin, leaf, memo.hits), 0, slot, state, memo.hits);
  if (flow_) flow_->lifeOf(object).hits += memo.hits;
  memo.hits = 0;
}

void HitMemos::count() {
  for (uint32_t slot = 0; slot < memos_.size(); slot++) countHits(slot);
}

void HitMemos::forgetAll() {
  for (uint32_t slot = 0; slot < memos_.size(); slot++) forget(slot);
}

} // namespace dprof
