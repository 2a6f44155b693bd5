// Stage: replay. Objects come to life and end; docs/replay.md, "Objects".
#include "objects.h"

#include <algorithm>

namespace dprof {

Objects::Objects(const Input &input, PageMap &pages, Hierarchy &hierarchy, const Settler &settler)
    : input_(input), pages_(pages), hierarchy_(hierarchy), settler_(settler) {}

// -- lives

uint32_t Objects::make(const NewObject &object) {
  uint32_t live;
  if (unused_.empty()) {
    live = static_cast<uint32_t>(live_.size());
    live_.emplace_back();
  } else {
    live = unused_.back();
    unused_.pop_back();
  }
  LiveObject &made = live_[live] = {};
  made.start = object.start;
  made.size = object.size;
  made.kind = object.kind;
  made.slot = NO_INDEX;
  made.variable = object.variable;
  made.part = object.part;
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
  begin(live, object.now);
  return live;
}

void Objects::begin(uint32_t live, uint64_t now) {
  LiveObject &object = live_[live];
  if (!object.part) endParts(object.start, object.size, now);
  object.lifeSequence = ++lifeSequence_;
  columns.lives[object.id]++;
  columns.lifeStart[object.id] = static_cast<double>(now);
  columns.diedAt[object.id] = -1;
  paint(live);
  if (!hierarchy_.single()) restartLines(live);
}

/// Ends the present life. The caller has taken the object out of its index.
void Objects::end(uint32_t live, uint32_t freeSlot, uint64_t now) {
  LiveObject &object = live_[live];
  if (!object.part) endParts(object.start, object.size, now);
  erase(live);
  columns.diedAt[object.id] = static_cast<double>(now);
  columns.lifetime[object.id] += static_cast<double>(now) - columns.lifeStart[object.id];
  columns.freeSlot[object.id] = freeSlot;
  object.lifeSequence = 0;
  if (object.kind == STACK) return; // it may live again
  settle(object);
  unused_.push_back(live);
}

void Objects::settle(LiveObject &object) {
  settleInto(columns, object, settler_);
  delete object.pending;
  delete object.votes.many;
  object.pending = nullptr;
  object.votes.many = nullptr;
}

void Objects::settleInto(ObjectColumns &columns, const LiveObject &object, const Settler &settler) {
  uint32_t voted = object.votes.winner(settler.nameRank);
  if (object.pending) settler.settle(*object.pending, voted, object.slot, object.size, object.kind == HEAP);
  uint64_t references = object.references;
  object.votes.each([&](uint32_t, uint64_t count) { references += count; });
  if (object.pending) object.pending->each([&](uint32_t, uint32_t, uint64_t count) { references += count; });
  columns.type[object.id] = object.declared ? object.declared : voted;
  columns.references[object.id] = static_cast<double>(references);
  columns.flags[object.id] = static_cast<uint8_t>(object.flags | (object.part ? 4 : 0));
  columns.allocationSlot[object.id] = object.slot;
}

void Objects::finish(uint64_t now) {
  for (uint32_t live = 1; live < live_.size(); live++) {
    LiveObject &object = live_[live];
    bool alive = object.lifeSequence != 0;
    if (!alive && object.kind != STACK) continue;
    if (alive) columns.lifetime[object.id] += static_cast<double>(now) - columns.lifeStart[object.id];
    settle(object);
  }
}

ObjectColumns Objects::columnsAt(uint64_t now, const Settler &settler) const {
  ObjectColumns copy = columns;
  for (uint32_t live = 1; live < live_.size(); live++) {
    const LiveObject &object = live_[live];
    bool alive = object.lifeSequence != 0;
    if (!alive && object.kind != STACK) continue;
    if (alive) copy.lifetime[object.id] += static_cast<double>(now) - copy.lifeStart[object.id];
    settleInto(copy, object, settler);
  }
  return copy;
}

// -- globals and thread-locals

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

void Objects::threadLocal(uint32_t number, uint32_t unit, uint32_t index, uint64_t address, uint64_t now) {
  uint64_t variable = unit < input_.unitFirstVariable.count ? uint64_t{input_.unitFirstVariable[unit]} + index : NO_INDEX;
  if (index == 0 || variable >= input_.variables.type.count || input_.variables.kind[variable] != DPROF_VARIABLE_THREAD_LOCAL)
    throw TraceError("THREAD_LOCAL event of thread " + std::to_string(number), 0, "a thread-local variable of a unit", "unit " + std::to_string(unit) + ", variable " + std::to_string(index));
  uint64_t size = static_cast<uint64_t>(input_.variables.sizeBytes[variable]);
  if (size == 0) return;
  uint64_t last = lastOf(address, size);
  for (ThreadObjects &of : threads_) {
    auto old = std::partition(of.locals.begin(), of.locals.end(), [&](uint32_t live) {
      return live_[live].start > last || lastOf(live_[live].start, live_[live].size) < address;
    });
    std::vector<uint32_t> overlapped(old, of.locals.end());
    of.locals.erase(old, of.locals.end());
    for (uint32_t live : overlapped) end(live, NO_INDEX, now);
  }
  uint32_t live = make({address, size, THREAD_LOCAL, static_cast<uint32_t>(variable), 0, NO_INDEX, number, now});
  thread(number).locals.push_back(live);
}

// -- heap

void Objects::endOverlapped(uint64_t address, uint64_t size, uint64_t now) {
  uint64_t last = lastOf(address, size);
  if (uint32_t live = heapAt(address)) endHeap(live, NO_INDEX, now);
  for (auto next = heap_.lower_bound(address); next != heap_.end() && next->first <= last; next = heap_.lower_bound(address)) endHeap(next->second, NO_INDEX, now);
}

void Objects::endHeap(uint32_t live, uint32_t freeSlot, uint64_t now) {
  heap_.erase(live_[live].start);
  end(live, freeSlot, now);
}

void Objects::allocate(uint32_t number, uint64_t address, uint64_t size, uint8_t allocator, uint64_t pool, uint64_t now) {
  if (size == 0) return;
  if (allocator == DPROF_ALLOCATOR_PART) return allocatePart(number, address, size, pool, now);
  endOverlapped(address, size, now);
  uint32_t live = make({address, size, HEAP, 0, 0, NO_INDEX, number, now});
  live_[live].mapped = allocator == DPROF_ALLOCATOR_MMAP;
  heap_.emplace(address, live);
}

void Objects::setSite(LiveObject &object, uint32_t slot) {
  object.slot = slot;
  object.declared = input_.types.declared[input_.slots.type[slot]];
  uint32_t offset = input_.slots.offset[slot];
  object.slotOffset = offset == DPROF_OFFSET_UNKNOWN ? 0 : offset;
}

void Objects::allocationRecord(uint32_t number, uint64_t address, uint64_t size, uint32_t slot, uint32_t callPath, uint64_t now) {
  if (address == 0) return; // the allocation failed
  uint32_t live = partAt(address);
  if (!live) live = heapAt(address);
  if (!live) {
    if (size == 0) return;
    allocate(number, address, size, DPROF_ALLOCATOR_MALLOC, 0, now);
    live = heap_.find(address)->second;
    live_[live].fromRecord = 1;
  } else if (live_[live].start != address || columns.thread[live_[live].id] != number) {
    return;
  }
  setSite(live_[live], slot);
  columns.callPath[live_[live].id] = callPath;
}

void Objects::freeRecord(uint32_t number, uint64_t address, uint32_t slot, uint64_t now) {
  auto found = heap_.find(address);
  if (found != heap_.end() && live_[found->second].fromRecord && !parts_.contains(address)) {
    endHeap(found->second, slot, now);
    return;
  }
  thread(number).freeAddress = address;
  thread(number).freeSlot = slot;
}

void Objects::free(uint32_t number, uint64_t address, uint64_t size, uint8_t allocator, uint64_t now) {
  ThreadObjects &of = thread(number);
  uint32_t slot = NO_INDEX;
  if (of.freeAddress == address) std::swap(slot, of.freeSlot);
  if (allocator == DPROF_ALLOCATOR_POOL) return endPool(address, slot, now);
  if (allocator == DPROF_ALLOCATOR_PART) {
    auto found = parts_.find(address);
    if (found != parts_.end()) endPart(found->second, slot, now);
    return;
  }
  if (allocator != DPROF_ALLOCATOR_MMAP || size == 0) {
    auto found = heap_.find(address);
    if (found != heap_.end()) endHeap(found->second, slot, now);
    return;
  }
  uint64_t last = lastOf(address, size);
  for (auto next = heap_.lower_bound(address); next != heap_.end() && next->first <= last;) {
    uint32_t live = next->second;
    ++next;
    if (live_[live].mapped && lastOf(live_[live].start, live_[live].size) <= last) endHeap(live, slot, now);
  }
}

// -- parts

void Objects::allocatePart(uint32_t number, uint64_t address, uint64_t size, uint64_t pool, uint64_t now) {
  endParts(address, size, now);
  uint32_t live = make({address, size, HEAP, 0, 0, NO_INDEX, number, now, true});
  live_[live].pool = pool;
  parts_.emplace(address, live);
  if (pool) pools_.emplace(std::pair(pool, address), live);
}

void Objects::endPart(uint32_t live, uint32_t freeSlot, uint64_t now) {
  const LiveObject &object = live_[live];
  parts_.erase(object.start);
  if (object.pool) pools_.erase({object.pool, object.start});
  end(live, freeSlot, now);
}

void Objects::endParts(uint64_t address, uint64_t size, uint64_t now) {
  if (parts_.empty()) return;
  uint64_t last = lastOf(address, size);
  if (uint32_t live = partAt(address)) endPart(live, NO_INDEX, now);
  for (auto next = parts_.lower_bound(address); next != parts_.end() && next->first <= last; next = parts_.lower_bound(address)) endPart(next->second, NO_INDEX, now);
}

void Objects::endPool(uint64_t pool, uint32_t freeSlot, uint64_t now) {
  if (!pool) return;
  for (auto next = pools_.lower_bound({pool, 0}); next != pools_.end() && next->first.first == pool; next = pools_.lower_bound({pool, 0})) endPart(next->second, freeSlot, now);
}

// -- stack

void Objects::enterFrame(uint32_t number, uint32_t function, const std::vector<NewObject> &objects) {
  ThreadObjects &of = thread(number);
  uint64_t lowest = ~uint64_t{0};
  for (const NewObject &object : objects) lowest = std::min(lowest, object.start);
  while (!of.byAddress.empty() && live_[of.byAddress.back()].start < lowest) endStack(of, of.byAddress.back(), objects[0].now);
  std::vector<uint32_t> overlapped;
  for (ThreadObjects &any : threads_) { // a stack that another thread had before too
    for (const NewObject &object : objects)
      if (!any.byAddress.empty()) eachOfThread(any, object.start, lastOf(object.start, object.size), [&](uint32_t live) { overlapped.push_back(live); });
    for (uint32_t live : overlapped)
      if (live_[live].lifeSequence) endStack(any, live, objects[0].now);
    overlapped.clear();
  }
  of.frames.push_back({function, static_cast<uint32_t>(of.framed.size()), 0});
  for (const NewObject &object : objects) {
    uint32_t &live = stack_[{object.start, object.size, number, object.variable, object.slot}];
    if (live && live_[live].lifeSequence) continue;
    if (live) begin(live, object.now);
    else live = make(object);
    live_[live].frameIndex = static_cast<uint32_t>(of.framed.size());
    of.framed.push_back(live);
    of.frames.back().alive++;
    of.largest = std::max(of.largest, object.size);
    auto place = std::partition_point(of.byAddress.begin(), of.byAddress.end(), [&](uint32_t other) { return live_[other].start >= object.start; });
    of.byAddress.insert(place, live);
  }
}

void Objects::endStack(ThreadObjects &of, uint32_t live, uint64_t now) {
  uint64_t start = live_[live].start;
  auto place = of.byAddress.end();
  if (of.byAddress.back() == live) --place;
  else place = std::partition_point(of.byAddress.begin(), of.byAddress.end(), [&](uint32_t other) { return live_[other].start > start; });
  while (*place != live) ++place;
  of.byAddress.erase(place);
  end(live, NO_INDEX, now);
  of.framed[live_[live].frameIndex] = 0;
  auto frame = std::partition_point(of.frames.begin(), of.frames.end(), [&](const Frame &f) { return f.begin <= live_[live].frameIndex; });
  std::prev(frame)->alive--;
  while (!of.frames.empty() && of.frames.back().alive == 0) {
    of.framed.resize(of.frames.back().begin);
    of.frames.pop_back();
  }
}

void Objects::leaveFrame(uint32_t number, uint32_t function, uint64_t now) {
  ThreadObjects &of = thread(number);
  size_t depth = of.frames.size();
  while (depth && (of.frames[depth - 1].function != function || of.frames[depth - 1].alive == 0)) depth--;
  if (depth == 0) return;
  uint32_t begin = of.frames[depth - 1].begin;
  while (of.framed.size() > begin) {
    uint32_t live = of.framed.back();
    if (live) endStack(of, live, now);
    else of.framed.pop_back();
  }
}

void Objects::endThread(uint32_t number, uint64_t now) {
  ThreadObjects &of = thread(number);
  while (!of.byAddress.empty()) endStack(of, of.byAddress.back(), now);
  std::vector<uint32_t> locals;
  locals.swap(of.locals);
  for (uint32_t live : locals) end(live, NO_INDEX, now);
}

} // namespace dprof
