// Stage: replay. What is kept of objects: a row of columns each, settled when it ends for good.
#include "labels.h"

namespace dprof {

void Objects::made(LiveObject &made, const NewObject &object) {
  if (object.kind != HEAP) made.declared = input_.types.declared[object.variable ? input_.variables.type[object.variable] : object.type];
  made.id = static_cast<uint32_t>(columns.address.size());
  columns.address.push_back(static_cast<double>(object.start));
  columns.sizeBytes.push_back(static_cast<double>(object.size));
  columns.kind.push_back(object.kind);
  columns.allocationSlot.push_back(NO_INDEX);
  columns.variable.push_back(object.variable);
  columns.freeSlot.push_back(NO_INDEX);
  columns.type.push_back(0);
  columns.thread.push_back(object.thread);
  columns.callPath.push_back(0);
  columns.bornAt.push_back(static_cast<double>(object.now));
  columns.diedAt.push_back(-1);
  columns.lives.push_back(0);
  columns.lifetime.push_back(0);
  columns.references.push_back(0);
  columns.flags.push_back(0);
  columns.lifeStart.push_back(0);
}

void Objects::begun(uint32_t live, uint64_t now) {
  uint32_t id = live_[live].id;
  columns.lives[id]++;
  columns.lifeStart[id] = static_cast<double>(now);
  columns.diedAt[id] = -1;
  paint(live);
  if (lines_) restartLines(live);
}

void Objects::ended(uint32_t live, uint32_t freeSlot, uint64_t now) {
  LiveObject &object = live_[live];
  erase(live);
  endLife(object, settler_);
  columns.diedAt[object.id] = static_cast<double>(now);
  columns.lifetime[object.id] += static_cast<double>(now) - columns.lifeStart[object.id];
  columns.freeSlot[object.id] = freeSlot;
  if (object.kind != STACK) settle(object); // that may live again
}

void Objects::allocatedAt(LiveObject &object, uint32_t slot, uint32_t callPath) {
  object.slot = slot;
  object.siteLabel = 0;
  object.declared = input_.types.declared[input_.slots.type[slot]];
  uint32_t offset = input_.slots.offset[slot];
  object.slotOffset = offset == DPROF_OFFSET_UNKNOWN ? 0 : offset;
  columns.callPath[object.id] = callPath;
}

void Objects::endLife(LiveObject &object, const Settler &settler) {
  bool loaded = object.flags & OBJECT_LOADED;
  settler.counters.endLife(object.counts, loaded);
  object.flags &= static_cast<uint8_t>(~OBJECT_LOADED);
}

void Objects::settle(LiveObject &object) {
  settleInto(columns, object, settler_);
  delete object.pending;
  delete object.votes.many;
  object.pending = nullptr;
  object.votes.many = nullptr;
}

void Objects::settleInto(ObjectColumns &columns, LiveObject &object, const Settler &settler) {
  settler.labels.settle(object);
  settler.counters.settle(object.counts, object.id);
  uint32_t voted = object.votes.winner(settler.nameRank);
  if (object.pending) settler.settle(*object.pending, voted, object.slot, object.size, object.kind == HEAP);
  uint64_t references = object.references;
  object.votes.each([&](uint32_t, uint64_t count) { references += count; });
  if (object.pending) object.pending->each([&](uint32_t, uint32_t, uint32_t bits, uint64_t count) { references += outcome::isPrefetches(bits) ? 0 : count; });
  columns.type[object.id] = object.declared ? object.declared : voted;
  columns.references[object.id] = static_cast<double>(references);
  columns.flags[object.id] = static_cast<uint8_t>(object.flags | (object.part ? OBJECT_IS_PART : 0));
  columns.allocationSlot[object.id] = object.slot;
}

void Objects::finish(uint64_t now) {
  for (uint32_t live = 1; live < live_.size(); live++) {
    LiveObject &object = live_[live];
    bool alive = object.lifeSequence != 0;
    if (!alive && object.kind != STACK) continue;
    if (alive) {
      columns.lifetime[object.id] += static_cast<double>(now) - columns.lifeStart[object.id];
      endLife(object, settler_);
    }
    settle(object);
  }
}

ObjectColumns Objects::columnsAt(uint64_t now, const Settler &settler) const {
  ObjectColumns copy = columns;
  for (uint32_t live = 1; live < live_.size(); live++) {
    LiveObject object = live_[live];
    bool alive = object.lifeSequence != 0;
    if (!alive && object.kind != STACK) continue;
    if (alive) {
      copy.lifetime[object.id] += static_cast<double>(now) - copy.lifeStart[object.id];
      endLife(object, settler);
    }
    settleInto(copy, object, settler);
  }
  return copy;
}

std::vector<uint32_t> Objects::unlabelled() const {
  std::vector<uint32_t> found;
  for (uint32_t live = 1; live < live_.size(); live++)
    if (live_[live].siteLabel == 0) found.push_back(live);
  return found;
}

void Objects::createGlobals() {
  auto cut = [&](uint64_t address) {
    auto next = globals_.upper_bound(address);
    globals_.emplace(address, next == globals_.begin() ? 0 : std::prev(next)->second);
  };
  for (size_t i = 0; i < input_.globals.address.count; i++) {
    uint32_t variable = input_.globals.variable[i];
    uint64_t address = input_.globals.address[i], size = static_cast<uint64_t>(input_.variables.sizeBytes[variable]);
    if (size == 0) continue;
    uint32_t live = make({address, size, GLOBAL, variable, 0, NO_INDEX, 0, 0});
    uint64_t last = lastOf(address, size);
    cut(address);
    if (last != ~uint64_t{0}) cut(last + 1);
    auto piece = globals_.find(address);
    piece->second = live;
    for (++piece; piece != globals_.end() && piece->first <= last;) piece = globals_.erase(piece);
  }
}

} // namespace dprof
