// Stage: replay. Objects come to life and end; docs/replay/objects.md.
#include "objects/object_lives.h"

#include <algorithm>

#include "base/trace_error.h"

namespace dprof {

// -- lives

uint32_t ObjectLives::make(const NewObject &object) {
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
  made.thread = object.thread;
  made.core = core_;
  this->made(made, object);
  begin(live, object.now);
  return live;
}

void ObjectLives::begin(uint32_t live, uint64_t now) {
  LiveObject &object = live_[live];
  if (!object.part) endParts(object.start, object.size, now);
  object.lifeSequence = ++lifeSequence_;
  object.bornAt = now;
  begun(live, now);
}

void ObjectLives::end(uint32_t live, uint32_t freeSlot, uint64_t now) {
  LiveObject &object = live_[live];
  if (!object.part) endParts(object.start, object.size, now);
  ended(live, freeSlot, now);
  object.lifeSequence = 0;
  if (object.kind != STACK) unused_.push_back(live); // a stack object may live again
}

void ObjectLives::markFreed(uint32_t live) {
  LiveObject &object = live_[live];
  object.flags |= OBJECT_FREED | (object.core != core_ ? OBJECT_FREED_ELSEWHERE : 0);
}

// -- thread-locals

void ObjectLives::threadLocal(uint32_t number, uint32_t unit, uint32_t index, uint64_t address, uint64_t now) {
  uint64_t variable =
      unit < input_.unitFirstVariable.count ? uint64_t{input_.unitFirstVariable[unit]} + index : NO_INDEX;
  const bool isKnown = index != 0 && variable < input_.variables.type.count;
  const bool isGlobal = isKnown && input_.variables.kind[variable] == DPROF_VARIABLE_GLOBAL;
  if (!isKnown || (!isGlobal && input_.variables.kind[variable] != DPROF_VARIABLE_THREAD_LOCAL))
    throw TraceError("THREAD_LOCAL event of thread " + std::to_string(number), 0,
                     "a thread-local or global variable of a unit",
                     "unit " + std::to_string(unit) + ", variable " + std::to_string(index));
  uint64_t size = static_cast<uint64_t>(input_.variables.sizeBytes[variable]);
  if (size == 0) return;
  uint64_t last = lastOf(address, size);
  if (isGlobal) {
    endGlobals(address, last, now);
    return makeGlobal(static_cast<uint32_t>(variable), address, now);
  }
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

void ObjectLives::endOverlapped(uint64_t address, uint64_t size, uint64_t now) {
  if (const uint32_t live = heapAt(address)) endHeap(live, NO_INDEX, now);
  const uint64_t last = lastOf(address, size);
  for (auto next = heap_.from(address); next != heap_.end() && next.address() <= last; next = heap_.from(address))
    endHeap(next.number(), NO_INDEX, now);
}

void ObjectLives::endHeap(uint32_t live, uint32_t freeSlot, uint64_t now) {
  heap_.remove(live_[live].start);
  end(live, freeSlot, now);
}

void ObjectLives::allocate(uint32_t number, uint64_t address, uint64_t size, uint8_t allocator, uint64_t pool,
                           uint64_t now) {
  if (size == 0) return;
  if (allocator == DPROF_ALLOCATOR_PART) return allocatePart(number, address, size, pool, now);
  endOverlapped(address, size, now);
  uint32_t live = make({address, size, HEAP, 0, 0, NO_INDEX, number, now});
  live_[live].mapped = allocator == DPROF_ALLOCATOR_MMAP;
  heap_.add(address, live);
  newest_ = live;
}

void ObjectLives::allocationRecord(uint32_t number, uint64_t address, uint64_t size, uint32_t slot, uint32_t callPath,
                                   uint64_t now) {
  if (address == 0) return; // the allocation failed
  uint32_t live = partAt(address);
  if (!live) live = isNewest(address) ? newest_ : heapAt(address);
  if (!live) {
    if (size == 0) return;
    allocate(number, address, size, DPROF_ALLOCATOR_MALLOC, 0, now);
    live = newest_;
    live_[live].fromRecord = 1;
  } else if (live_[live].start != address || live_[live].thread != number) {
    return;
  }
  allocatedAt(live_[live], slot, callPath);
}

void ObjectLives::freeRecord(uint32_t number, uint64_t address, uint32_t slot, uint64_t now) {
  const uint32_t live = heap_.at(address);
  if (live && live_[live].fromRecord && !parts_.at(address)) {
    markFreed(live);
    endHeap(live, slot, now);
    return;
  }
  thread(number).freeAddress = address;
  thread(number).freeSlot = slot;
}

void ObjectLives::free(uint32_t number, uint64_t address, uint64_t size, uint8_t allocator, uint64_t now) {
  ThreadObjects &of = thread(number);
  uint32_t slot = NO_INDEX;
  if (of.freeAddress == address) std::swap(slot, of.freeSlot);
  if (allocator == DPROF_ALLOCATOR_POOL) return endPool(address, slot, now);
  if (allocator == DPROF_ALLOCATOR_MODULE) return size ? endGlobals(address, lastOf(address, size), now) : void();
  if (allocator == DPROF_ALLOCATOR_PART) {
    if (const uint32_t part = parts_.at(address)) {
      markFreed(part);
      endPart(part, slot, now);
    }
    return;
  }
  if (allocator != DPROF_ALLOCATOR_MMAP || size == 0) {
    if (const uint32_t live = heap_.at(address)) {
      markFreed(live);
      endHeap(live, slot, now);
    }
    return;
  }
  uint64_t last = lastOf(address, size);
  for (auto next = heap_.from(address); next != heap_.end() && next.address() <= last;) {
    const uint32_t live = next.number();
    if (!live_[live].mapped || lastOf(live_[live].start, live_[live].size) > last) {
      ++next;
      continue;
    }
    next = heap_.remove(next);
    markFreed(live);
    end(live, slot, now);
  }
}

// -- parts

void ObjectLives::allocatePart(uint32_t number, uint64_t address, uint64_t size, uint64_t pool, uint64_t now) {
  endParts(address, size, now);
  uint32_t live = make({address, size, HEAP, 0, 0, NO_INDEX, number, now, true});
  parts_.add(address, live);
  if (!pool) return;
  pools_.emplace(std::pair(pool, address), live);
  poolOf_.emplace(live, pool);
}

void ObjectLives::endPart(uint32_t live, uint32_t freeSlot, uint64_t now) {
  const LiveObject &object = live_[live];
  parts_.remove(object.start);
  if (auto pool = poolOf_.find(live); pool != poolOf_.end()) {
    pools_.erase({pool->second, object.start});
    poolOf_.erase(pool);
  }
  end(live, freeSlot, now);
}

void ObjectLives::endParts(uint64_t address, uint64_t size, uint64_t now) {
  if (parts_.isEmpty()) return;
  uint64_t last = lastOf(address, size);
  if (uint32_t live = partAt(address)) endPart(live, NO_INDEX, now);
  for (auto next = parts_.from(address); next != parts_.end() && next.address() <= last; next = parts_.from(address))
    endPart(next.number(), NO_INDEX, now);
}

void ObjectLives::endPool(uint64_t pool, uint32_t freeSlot, uint64_t now) {
  if (!pool) return;
  for (auto next = pools_.lower_bound({pool, 0}); next != pools_.end() && next->first.first == pool;
       next = pools_.lower_bound({pool, 0})) {
    markFreed(next->second);
    endPart(next->second, freeSlot, now);
  }
}

// -- stack

void ObjectLives::enterFrame(uint32_t number, uint32_t function, const std::vector<NewObject> &objects) {
  ThreadObjects &of = thread(number);
  uint64_t lowest = ~uint64_t{0};
  for (const NewObject &object : objects) lowest = std::min(lowest, object.start);
  while (!of.byAddress.empty() && live_[of.byAddress.back()].start < lowest)
    endStack(of, of.byAddress.back(), objects[0].now);
  std::vector<uint32_t> overlapped;
  for (ThreadObjects &any : threads_) { // a stack that another thread had before too
    for (const NewObject &object : objects)
      if (!any.byAddress.empty())
        eachOfThread(any, object.start, lastOf(object.start, object.size),
                     [&](uint32_t live) { overlapped.push_back(live); });
    for (uint32_t live : overlapped)
      if (live_[live].lifeSequence) endStack(any, live, objects[0].now);
    overlapped.clear();
  }
  of.frames.push_back({function, static_cast<uint32_t>(of.framed.size()), 0});
  for (const NewObject &object : objects) {
    uint32_t &live = stack_[{object.start, object.size, number, object.variable, object.slot}];
    if (live && live_[live].lifeSequence) continue;
    if (live)
      begin(live, object.now);
    else
      live = make(object);
    live_[live].frameIndex = static_cast<uint32_t>(of.framed.size());
    of.framed.push_back(live);
    of.frames.back().alive++;
    of.largest = std::max(of.largest, object.size);
    auto place = std::partition_point(of.byAddress.begin(), of.byAddress.end(),
                                      [&](uint32_t other) { return live_[other].start >= object.start; });
    of.byAddress.insert(place, live);
  }
}

void ObjectLives::endStack(ThreadObjects &of, uint32_t live, uint64_t now) {
  uint64_t start = live_[live].start;
  auto place = of.byAddress.end();
  if (of.byAddress.back() == live)
    --place;
  else
    place = std::partition_point(of.byAddress.begin(), of.byAddress.end(),
                                 [&](uint32_t other) { return live_[other].start > start; });
  while (*place != live) ++place;
  of.byAddress.erase(place);
  end(live, NO_INDEX, now);
  of.framed[live_[live].frameIndex] = 0;
  auto frame = std::partition_point(of.frames.begin(), of.frames.end(),
                                    [&](const Frame &f) { return f.begin <= live_[live].frameIndex; });
  std::prev(frame)->alive--;
  while (!of.frames.empty() && of.frames.back().alive == 0) {
    of.framed.resize(of.frames.back().begin);
    of.frames.pop_back();
  }
}

void ObjectLives::leaveFrame(uint32_t number, uint32_t function, uint64_t now) {
  ThreadObjects &of = thread(number);
  size_t depth = of.frames.size();
  while (depth && (of.frames[depth - 1].function != function || of.frames[depth - 1].alive == 0)) depth--;
  if (depth == 0) return;
  uint32_t begin = of.frames[depth - 1].begin;
  while (of.framed.size() > begin) {
    uint32_t live = of.framed.back();
    if (live)
      endStack(of, live, now);
    else
      of.framed.pop_back();
  }
}

void ObjectLives::endThread(uint32_t number, uint64_t now) {
  ThreadObjects &of = thread(number);
  while (!of.byAddress.empty()) endStack(of, of.byAddress.back(), now);
  std::vector<uint32_t> locals;
  locals.swap(of.locals);
  for (uint32_t live : locals) end(live, NO_INDEX, now);
}

// -- where they are

uint32_t ObjectLives::containing(AddressMap &index, uint64_t address) const {
  const auto place = index.upTo(address);
  if (place == index.end()) return 0;
  const uint32_t live = place.number();
  return address - live_[live].start < live_[live].size ? live : 0;
}

uint64_t ObjectLives::heapSize(uint64_t address, uint8_t allocator) {
  return live_[(allocator == DPROF_ALLOCATOR_PART ? parts_ : heap_).at(address)].size; // number 0 has no bytes
}

} // namespace dprof
