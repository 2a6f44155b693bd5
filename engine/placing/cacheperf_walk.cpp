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
  eachAccess(plans_, plan, words, *this);
}

void CacheperfWalk::block(uint32_t slot, uint64_t address, uint64_t size) {
  access(slot, address, checkedAddress(size));
}

/// A piece of the source, and the same piece of the destination, and so on.
void CacheperfWalk::copy(uint32_t slot, uint64_t source, uint64_t destination, uint64_t size) {
  for (checkedAddress(size); size;) {
    const uint64_t piece = std::min(size, lineBytes_ - (source & (lineBytes_ - 1)));
    access(slot, source, piece);
    access(slot + 1, destination, piece);
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
