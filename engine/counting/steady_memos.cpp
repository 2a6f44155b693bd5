// Stage: replay. Memos of steady paths are made, and the hits that wait in them are counted.
#include "counting/steady_memos.h"

#include <algorithm>

#include "counting/hit_memos.h"

namespace dprof {

void SteadyMemos::set(const SteadySlot &steady) {
  forget(steady.slot);
  Steady &to = of(steady.slot);
  to.path = steady.path;
  to.wait = to.left = 0;
}

bool SteadyMemos::holds(uint32_t slot) const {
  const Steady &steady = of(slot);
  uint32_t live = !steady.isKept;
  for (const uint32_t granule : steady.empty) live |= objects_.inTouched(granule) | objects_.anyFreed(granule);
  return !live;
}

void SteadyMemos::make(uint32_t slot) {
  Steady &steady = of(slot);
  if (steady.isKept) forget(slot);
  steady.words.clear();
  steady.nodes.clear();
  steady.empty.clear();
  for (const Reference &reference : steady.path->references) {
    const JoinedRun *run = memos_.runOf(reference.slot);
    bool may = run || addWord(steady, reference.slot, reference.granule, reference.address);
    for (size_t i = 0; run && may && i < run->size(); i++)
      may = addWord(steady, (*run)[i].slot, memos_.granuleOf(reference.granule, reference.address + (*run)[i].offset),
                    reference.address + (*run)[i].offset);
    if (!may) return wait(steady);
  }
  steady.isKept = true;
  for (const Word &word : steady.words)
    if (objects_.at(word.live).declared) rows_.states(0)[word.slot].inSteady = true;
  link(slot);
  HitMemo &memo = memos_.data()[slot];
  memo.begin = 0;
  memo.length = steady.empty.empty();
}

/// False if hits of the word need not count alike.
bool SteadyMemos::addWord(Steady &to, uint32_t slot, uint32_t granule, uint64_t address) {
  const SlotRows::State &state = rows_.states(0)[slot];
  const uint32_t live = objects_.find(granule, address);
  to.words.push_back({slot, live, address});
  if (!live) {
    if (objects_.inTouched(granule) || objects_.anyFreed(granule)) return false;
    if (std::find(to.empty.begin(), to.empty.end(), granule) == to.empty.end()) to.empty.push_back(granule);
    return true;
  }
  const LiveObject &object = objects_.at(live);
  if (object.hidden || object.flags & OBJECT_HOLDS_MORE || (object.declared && SlotRows::owesRow(state)) ||
      // If a path is cut within the execution, its last step has not met what came before.
      (flow_ && !Flow::isInStep(flow_->lifeOf(object), state.stepKey, address, memos_.sizeOf(slot))))
    return false;
  return addObject(to, live, state.loaded != 0);
}

bool SteadyMemos::addObject(Steady &to, uint32_t live, bool loads) {
  for (Node &node : to.nodes) {
    if (node.live != live) continue;
    node.loads |= loads;
    return true;
  }
  to.nodes.push_back({live, 0, 0, loads});
  return to.nodes.size() <= MOST_OBJECTS;
}

void SteadyMemos::link(uint32_t slot) {
  Steady &steady = of(slot);
  uint32_t place = (slot - firstSlot_) * MOST_OBJECTS;
  for (Node &each : steady.nodes) {
    place++;
    if (each.live >= firsts_.size()) firsts_.resize(std::max<size_t>(each.live + 1, firsts_.size() * 2));
    uint32_t &first = firsts_[each.live];
    each.next = first;
    if (first) node(first).previous = place;
    first = place;
    objects_.at(each.live).keepsHits = true;
  }
}

void SteadyMemos::unlink(Steady &of) {
  for (const Node &each : of.nodes) {
    (each.previous ? node(each.previous).next : firsts_[each.live]) = each.next;
    if (each.next) node(each.next).previous = each.previous;
    if (!firsts_[each.live] && !memos_.keeps(each.live)) objects_.at(each.live).keepsHits = false;
  }
}

void SteadyMemos::forget(uint32_t slot) {
  Steady &steady = of(slot);
  if (!steady.isKept) return;
  HitMemo &memo = memos_.data()[slot];
  if (memo.met + memo.hits < WORTH)
    wait(steady);
  else
    steady.left = steady.wait = 0;
  memo.met = 0;
  memo.length = 0;
  steady.isKept = false;
  unlink(steady);
  countHits(slot);
}

void SteadyMemos::release(uint32_t live, bool onlyLoads) {
  if (live >= firsts_.size()) return;
  for (uint32_t next = firsts_[live]; next;) {
    const uint32_t place = next;
    next = node(place).next;
    if (!onlyLoads || node(place).loads) forget(firstSlot_ + (place - 1) / MOST_OBJECTS);
  }
}

void SteadyMemos::releaseSlot(uint32_t programSlot) {
  rows_.states(0)[programSlot].inSteady = false;
  for (uint32_t i = 0; i < all_.size(); i++) {
    if (!all_[i].isKept) continue;
    for (const Word &word : all_[i].words) {
      if (word.slot != programSlot) continue;
      forget(firstSlot_ + i);
      break;
    }
  }
}

void SteadyMemos::countHits(uint32_t slot) {
  HitMemo &memo = memos_.data()[slot];
  if (!memo.hits) return;
  const uint64_t hits = std::exchange(memo.hits, 0);
  for (const Word &word : of(slot).words) memos_.countHits(word.slot, word.live, word.address, hits);
}

void SteadyMemos::count() {
  for (uint32_t i = 0; i < all_.size(); i++) {
    if (!all_[i].isKept) continue;
    HitMemo &memo = memos_.data()[firstSlot_ + i];
    memo.met = static_cast<uint32_t>(std::min<uint64_t>(memo.met + memo.hits, WORTH));
    countHits(firstSlot_ + i);
  }
}

void SteadyMemos::forgetAll() {
  for (uint32_t i = 0; i < all_.size(); i++) forget(firstSlot_ + i);
}

} // namespace dprof
