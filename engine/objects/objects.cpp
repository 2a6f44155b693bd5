// Stage: replay. Keeps a row for each object, settled when the object ends for good.
#include <algorithm>
#include <cstdio>

#include "objects/labels.h"
#include "objects/memory_structs.h"

namespace dprof {

void Objects::made(LiveObject &made, const NewObject &object) {
  if (object.kind != HEAP) {
    made.declared = input_.types.declared[object.variable ? input_.variables.type[object.variable] : object.type];
    noteMemory(input_, made);
  }
  if (made_ == NO_INDEX) throw InputError("the program had more objects than the native engine numbers");
  made.id = made_++;
  if (object.kind != STACK) return;
  made.earlierLives = static_cast<uint32_t>(stackLives_.size());
  stackLives_.push_back({0, object.now, 0, ObjectRow::NEVER});
}

void Objects::begun(uint32_t live, uint64_t) {
  LiveObject &object = live_[live];
  if (object.kind == STACK) stackLives_[object.earlierLives].count++;
  object.hidden = false;
  if (watcher) watcher->begun(live, object, core());
  paint(live);
  if (lines_) restartLines(live);
}

void Objects::ended(uint32_t live, uint32_t freeSlot, uint64_t now) {
  LiveObject &object = live_[live];
  releaseHits(object);
  erase(live);
  if (watcher) watcher->ended(live, object, object.kind != STACK, freeSlot, core(), now);
  for (LifeEnds *each : lifeEnds) each->endLife(live);
  endLife(object, settler_);
  if (object.kind == STACK) { // that may live again
    Lives &lives = stackLives_[object.earlierLives];
    lives.lifetime += lifetimeOf(object, now);
    lives.diedAt = now;
  } else {
    settle(object, {1, object.bornAt, lifetimeOf(object, now), now}, freeSlot);
  }
}

void Objects::allocatedAt(LiveObject &object, uint32_t slot, uint32_t callPath) {
  releaseHits(object);
  forgetNotes(object);
  object.slot = slot;
  object.siteLabel = 0;
  // A part keeps the type that its allocator knew, where the caller's record has none.
  uint32_t declared = input_.types.declared[input_.slots.type[slot]];
  if (declared || !object.part) object.declared = declared;
  uint32_t offset = input_.slots.offset[slot];
  object.slotOffset = offset == DPROF_OFFSET_UNKNOWN ? 0 : offset;
  noteMemory(input_, object);
  object.callPath = callPath;
}

void Objects::endLife(LiveObject &object, const Settler &settler) {
  bool loaded = object.flags & OBJECT_LOADED;
  settler.counters.endLife(object.counts, loaded);
  object.flags &= static_cast<uint8_t>(~OBJECT_LOADED);
}

void Objects::settle(LiveObject &object, const Lives &lives, uint32_t freeSlot) {
  settleInto(log, object, lives, freeSlot, settler_);
  delete object.pending;
  delete object.votes.many;
  object.pending = nullptr;
  object.votes.many = nullptr;
}

void Objects::settleInto(ObjectLog &rows, LiveObject &object, const Lives &lives, uint32_t freeSlot,
                         const Settler &settler) {
  settler.labels.settle(object);
  settler.structs.settle(settler.input, object);
  const bool pool = isPool(settler.input, object);
  const uint32_t voted = pool ? 0 : object.votes.winner(settler.input.types.nameRank.data);
  if (object.pending) settler.settle(object, voted, pool);
  uint64_t references = object.references;
  object.votes.each([&](uint32_t, uint64_t count) { references += count; });
  if (object.pending)
    object.pending->each([&](uint32_t, uint32_t, uint32_t bits, uint64_t count) {
      references += outcome::isPrefetches(bits) ? 0 : count;
    });
  const std::vector<ObjectCount> &counts = settler.counters.settle(object.counts);
  uint8_t flags = static_cast<uint8_t>((object.flags & OBJECT_RESULT) | (object.part ? OBJECT_IS_PART : 0) |
                                       (pool ? OBJECT_IS_POOL : 0));
  const uint32_t type = pool ? 0 : object.declared ? object.declared : voted;
  rows.add({object.start, object.size, lives.firstBornAt, lives.diedAt, lives.count, lives.lifetime, references,
            object.id, object.slot, object.variable, freeSlot, type, object.thread,
            object.kind == HEAP ? object.callPath : 0, object.kind, 0, object.core, flags, 0},
           counts.data(), counts.size());
}

void Objects::restart(uint64_t now) {
  log.restart();
  windowBegan_ = now;
  for (Lives &lives : stackLives_) lives.count = lives.lifetime = 0;
  for (uint32_t live = 1; live < live_.size(); live++) {
    LiveObject &object = live_[live];
    bool alive = object.lifeSequence != 0;
    if (!alive && object.kind != STACK) continue;
    if (alive && object.kind == STACK) stackLives_[object.earlierLives].count = 1;
    object.references = 0;
    object.votes.each([&](uint32_t, uint64_t count) { object.references -= count; }); // they are added when it ends
    if (object.pending) *object.pending = {};
    object.flags &= OBJECT_LOADED | OBJECT_MEMORY | OBJECT_HOLDS_MORE;
    settler_.counters.forget(object.counts);
  }
}

/// The lives of an object that is alive or belongs to a stack variable.
Objects::Lives Objects::livesAtEnd(const LiveObject &object, uint64_t now) const {
  Lives lives = object.kind == STACK ? stackLives_[object.earlierLives] : Lives{1, object.bornAt, 0, 0};
  if (object.lifeSequence == 0) return lives;
  lives.lifetime += lifetimeOf(object, now);
  lives.diedAt = ObjectRow::NEVER;
  return lives;
}

void Objects::finish(uint64_t now) {
  for (uint32_t live = 1; live < live_.size(); live++) {
    LiveObject &object = live_[live];
    bool alive = object.lifeSequence != 0;
    if (!alive && object.kind != STACK) continue;
    if (alive) endLife(object, settler_);
    settle(object, livesAtEnd(object, now), NO_INDEX);
  }
}

void Objects::endInto(ObjectLog &rows, uint64_t now, const Settler &settler) const {
  for (uint32_t live = 1; live < live_.size(); live++) {
    LiveObject object = live_[live];
    bool alive = object.lifeSequence != 0;
    if (!alive && object.kind != STACK) continue;
    if (alive) endLife(object, settler);
    settleInto(rows, object, livesAtEnd(object, now), NO_INDEX, settler);
  }
}

std::vector<uint32_t> Objects::unsettled() const {
  std::vector<uint32_t> found;
  for (uint32_t live = 1; live < live_.size(); live++)
    if (live_[live].lifeSequence || live_[live].kind == STACK) found.push_back(live);
  std::sort(found.begin(), found.end(), [&](uint32_t a, uint32_t b) { return live_[a].id < live_[b].id; });
  return found;
}

std::vector<uint32_t> Objects::unlabelled() const {
  std::vector<uint32_t> found;
  for (uint32_t live = 1; live < live_.size(); live++)
    if (live_[live].kind == HEAP && live_[live].siteLabel == 0) found.push_back(live);
  return found;
}

/// A module's addresses come from its unit, which is read before anything of its threads is.
static void checkedGlobal(uint64_t address, uint64_t size) {
  if (address < HIGHEST_END && size < HIGHEST_END && address + size < HIGHEST_END) return;
  char text[19];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  throw TraceError("address of a global", 0, "an end below 2^53", text);
}

void Objects::cutGlobals(uint64_t address) {
  auto next = globals_.upper_bound(address);
  globals_.emplace(address, next == globals_.begin() ? 0 : std::prev(next)->second);
}

void Objects::makeGlobal(uint32_t variable, uint64_t address, uint64_t now) {
  const uint64_t size = static_cast<uint64_t>(input_.variables.sizeBytes[variable]);
  if (size == 0) return;
  uint32_t live = make({address, size, GLOBAL, variable, 0, NO_INDEX, 0, now});
  uint64_t last = lastOf(address, size);
  cutGlobals(address);
  if (last != ~uint64_t{0}) cutGlobals(last + 1);
  auto piece = globals_.find(address);
  piece->second = live;
  for (++piece; piece != globals_.end() && piece->first <= last;) piece = globals_.erase(piece);
}

void Objects::endGlobals(uint64_t begin, uint64_t last, uint64_t now) {
  std::vector<uint32_t> gone;
  auto next = globals_.upper_bound(begin);
  if (next != globals_.begin()) --next;
  for (; next != globals_.end() && next->first <= last; ++next) {
    const uint32_t live = next->second;
    if (live && lastOf(live_[live].start, live_[live].size) >= begin && (gone.empty() || gone.back() != live))
      gone.push_back(live);
  }
  for (uint32_t live : gone) {
    if (!live_[live].lifeSequence) continue; // it had several pieces
    const uint64_t end = lastOf(live_[live].start, live_[live].size);
    cutGlobals(live_[live].start);
    if (end != ~uint64_t{0}) cutGlobals(end + 1);
    for (auto piece = globals_.find(live_[live].start); piece != globals_.end() && piece->first <= end; ++piece)
      piece->second = 0;
    this->end(live, NO_INDEX, now);
  }
}

void Objects::createGlobals() {
  for (size_t i = 0; i < input_.globals.address.count; i++) {
    uint32_t variable = input_.globals.variable[i];
    uint64_t address = input_.globals.address[i], size = static_cast<uint64_t>(input_.variables.sizeBytes[variable]);
    checkedGlobal(address, size);
    makeGlobal(variable, address, 0);
  }
}

} // namespace dprof
