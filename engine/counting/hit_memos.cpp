// Stage: replay. Memos are made, and the hits that wait in them are counted.
#include "counting/hit_memos.h"

namespace dprof {

HitMemos::HitMemos(const Plans &plans, SlotRows &rows, Objects &objects, Flow *flow)
    : plans_(plans), rows_(rows), objects_(objects), flow_(flow), memos_(plans.slots.size()),
      links_(plans.slots.size()) {}

/// Whether hits of the slot in the object count alike, wherever they are.
bool HitMemos::mayKeep(uint32_t slot, const LiveObject &object) {
  if (object.hidden || object.flags & OBJECT_HOLDS_MORE) return false;
  if (isBlockKind(plans_.slots[slot].kind) || slot == plans_.kernelSlot) return false; // of any size
  return !rows_.asksForField(slot, object);
}

void HitMemos::remember(uint32_t slot, LiveObject &object, uint64_t address, uint32_t size) {
  const uint32_t live = objects_.numberOf(object);
  if (links_[slot].live != live) {
    if (!mayKeep(slot, object)) return;
    forget(slot);
    link(slot, object, live);
  }
  HitMemo &memo = memos_[slot];
  if (flow_) {
    const Flow::Known known = flow_->knownAround(object, address, size);
    memo.begin = known.first;
    memo.length = known.last - known.first + 1;
    memo.ofLines = known.ofLines;
  } else {
    memo.begin = object.start;
    memo.length = object.size;
  }
}

void HitMemos::link(uint32_t slot, LiveObject &object, uint32_t live) {
  if (live >= firsts_.size()) firsts_.resize(std::max<size_t>(live + 1, firsts_.size() * 2));
  uint32_t &first = firsts_[live];
  links_[slot] = {live, first, 0};
  if (first) links_[first - 1].previous = slot + 1;
  first = slot + 1;
  object.keepsHits = true;
}

void HitMemos::forget(uint32_t slot) {
  Link &link = links_[slot];
  if (!link.live) return;
  countHits(slot);
  memos_[slot].length = 0;
  uint32_t &before = link.previous ? links_[link.previous - 1].next : firsts_[link.live];
  before = link.next;
  if (link.next) links_[link.next - 1].previous = link.previous;
  if (!firsts_[link.live]) objects_.at(link.live).keepsHits = false;
  link = {};
}

void HitMemos::release(uint32_t live) {
  for (uint32_t next = firsts_[live]; next;) {
    const uint32_t slot = next - 1;
    next = links_[slot].next;
    countHits(slot);
    memos_[slot].length = 0;
    links_[slot] = {};
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
