// Stage: trace -> stream. Accesses are cut at the ends of lines.
#include "stream/reference_walk.h"

namespace dprof {

void ReferenceWalk::walk() {
  run();
  if (rows_.count()) take_(rows_);
}

void ReferenceWalk::before(uint32_t thread, const Event *) { thread_ = thread; }

void ReferenceWalk::record(uint32_t thread, const RecordPlan &plan, const uint64_t *words, const Event *) {
  if (plan.tag == DPROF_RECORD_SEGMENT) eachAccess(plans_, plan, words, *this);
  times_[thread] += plan.instructions;
}

bool ReferenceWalk::path(uint32_t thread, const PlainPath &path, const uint64_t *words) {
  if (columns_.time) return false; // each of its records has its own
  for (const PlainWord &word : path.words)
    if (const uint32_t size = plans_.slots[word.shape.slot].size) access(word.shape.slot, word.source.of(words), size);
  times_[thread] += path.instructions;
  return true;
}

void ReferenceWalk::access(uint32_t slot, uint64_t address, uint64_t size) {
  if (size <= left(address)) [[likely]]
    return add(slot, address, size);
  block(slot, address, size);
}

void ReferenceWalk::block(uint32_t slot, uint64_t address, uint64_t size) {
  for (uint64_t done = 0, piece; done < size; done += piece) {
    piece = std::min(size - done, left(address + done));
    add(slot, address + done, piece);
  }
}

/// A piece is what lies in a line of the source; its store may touch two.
void ReferenceWalk::copy(uint32_t slot, uint64_t source, uint64_t destination, uint64_t size) {
  for (uint64_t done = 0, piece; done < size; done += piece) {
    piece = std::min(size - done, left(source + done));
    add(slot, source + done, piece);
    block(slot + 1, destination + done, piece);
  }
}

void ReferenceWalk::add(uint32_t slot, uint64_t address, uint64_t size) {
  rows_.slot.push_back(slot);
  if (columns_.address) rows_.address.push_back(address);
  if (columns_.size) rows_.size.push_back(static_cast<uint32_t>(size));
  if (columns_.thread) rows_.thread.push_back(thread_);
  if (columns_.time) rows_.time.push_back(times_[thread_]);
  if (columns_.object) {
    const LiveObject *object = tracked_.find(address);
    rows_.object.push_back(object ? object->id : NO_INDEX);
  }
  if (rows_.count() >= FULL) take_(rows_);
}

} // namespace dprof
