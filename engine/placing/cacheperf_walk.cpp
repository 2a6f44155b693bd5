// Stage: trace -> placing. Accesses as references, one for each line; docs/replay/references.md.
#include "placing/cacheperf_walk.h"

namespace dprof {

CacheperfWalk::CacheperfWalk(const Input &input, const CacheperfRequest &request)
    : TrackedWalk(input), counts(request.rows), request_(request), lineBytes_(uint64_t{1} << request.lineShift),
      isShared_(input.threads.size() > 1), windows_(request, counts), sharers_(request, counts),
      caches_(input.threads.size()) {
  if (request.rowOfSlot.count != input.slots.kind.count || request.rowOfVariable.count != input.variables.type.count)
    throw InputError("CachePerf's rule: a row for each slot, and one for each variable");
}

void CacheperfWalk::record(uint32_t thread, const RecordPlan &plan, const uint64_t *words, const Event *) {
  if (plan.tag != DPROF_RECORD_SEGMENT) return;
  thread_ = thread;
  if (!caches_[thread]) caches_[thread] = std::make_unique<PrivateCache>(request_.sets, request_.ways);
  cache_ = caches_[thread].get();
  for (uint32_t slot = plan.firstSlot, end = slot + plan.slotCount; slot < end; slot++) {
    accesses(plans_.slots[slot], slot, words);
    words += wordsOfSlot(plans_.slots[slot]);
  }
}

void CacheperfWalk::accesses(const SlotPlan &slot, uint32_t number, const uint64_t *words) {
  switch (slot.kind) {
    case DPROF_SLOT_SITE:
    case DPROF_SLOT_VALUE:
    case DPROF_SLOT_ARGUMENT:
    case DPROF_SLOT_OBJECT:
    case DPROF_SLOT_COPY_STORE: return; // with its load
    case DPROF_SLOT_COPY_LOAD: {
      const uint32_t length = plans_.slots[number + 1].size;
      return block(number, words[0], words[1], length == DPROF_SIZE_DYNAMIC ? words[2] : length, true);
    }
    case DPROF_SLOT_FILL:
    case DPROF_SLOT_SCAN:
      return block(number, words[0], words[0], slot.size == DPROF_SIZE_DYNAMIC ? words[1] : slot.size, false);
    case DPROF_SLOT_MASKED_LOAD:
    case DPROF_SLOT_MASKED_STORE:
      for (uint32_t lane = 0; lane < slot.lanes && lane < 64; lane++)
        if (words[1] >> lane & 1) access(number, words[0] + uint64_t{lane} * slot.size, slot.size);
      return;
    case DPROF_SLOT_GATHER:
    case DPROF_SLOT_SCATTER:
      for (uint32_t lane = 0; lane < slot.lanes; lane++)
        if (words[lane]) access(number, words[lane], slot.size);
      return;
    default: access(number, words[0], slot.size);
  }
}

void CacheperfWalk::block(uint32_t slot, uint64_t source, uint64_t destination, uint64_t size, bool copies) {
  for (checkedAddress(size); size;) {
    const uint64_t piece = std::min(size, lineBytes_ - (source & (lineBytes_ - 1)));
    access(slot, source, piece);
    if (copies) access(slot + 1, destination, piece);
    source += piece;
    destination += piece;
    size -= piece;
  }
}

void CacheperfWalk::access(uint32_t slot, uint64_t address, uint64_t size) {
  while (size) {
    const uint64_t part = std::min(size, lineBytes_ - (address & (lineBytes_ - 1)));
    reference(slot, address, part);
    address += part;
    size -= part;
  }
}

/// To bytes in one line.
void CacheperfWalk::reference(uint32_t slot, uint64_t address, uint64_t size) {
  const bool isMiss = cache_->misses(address >> request_.lineShift);
  if (!isMiss && !isShared_) return;
  const LiveObject *object = tracked_.find(address);
  const uint32_t row = object ? rowOf(*object) : 0;
  const uint32_t block = object && object->kind == HEAP ? object->id : NO_INDEX;
  if (isMiss && row) {
    counts[row - 1].misses++;
    windows_.miss(row - 1, slot, thread_, address >> request_.lineShift, block);
  }
  if (isShared_) sharers_.reference(thread_, plans_.shapes[slot].store, address, size, row, block);
}

uint32_t CacheperfWalk::rowOf(const LiveObject &object) const {
  if (object.kind != HEAP) return request_.rowOfVariable[object.variable];
  return object.slot == NO_INDEX ? 0 : request_.rowOfSlot[object.slot];
}

} // namespace dprof
