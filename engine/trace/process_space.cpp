// Stage: trace -> replay. Addresses of one process, at one time -> addresses in the replay.
#include "trace/process_space.h"

#include <algorithm>

namespace dprof {

constexpr uint64_t NOWHERE = uint64_t{1} << 63;

uint64_t SpaceCursor::place(uint64_t address) const {
  if (address >= SPACE_BYTES) return address | NOWHERE;
  if (address == 0) return 0;
  size_t piece = pieceAt(address);
  if (piece == NO_PIECE) return address + process_->base;
  return static_cast<uint64_t>(process_->shared.target[piece]) +
         (address - static_cast<uint64_t>(process_->shared.begin[piece]));
}

uint64_t SpaceCursor::placeAllocated(uint64_t address) const {
  if (address == ~uint64_t{0}) return address; // nothing was given out
  size_t piece = pieceAt(address);
  const SharedColumns &shared = process_->shared;
  if (piece == NO_PIECE || static_cast<uint64_t>(shared.mappedAt[piece]) != address) return place(address);
  return shared.wholeBytes[piece] > 0 ? static_cast<uint64_t>(shared.wholeAt[piece]) : 0;
}

void SpaceCursor::placeEvent(Event &event) {
  if (hasStamp(event.code)) stamp_ = event.stamp;
  switch (event.code) {
    case DPROF_EVENT_ALLOCATE:
      if (event.pool && event.pool < SPACE_BYTES) event.pool = place(event.pool);
      allocate(event);
      break;
    case DPROF_EVENT_FREE:
      // The object of shared memory lives to the end: others may have it yet, or map it again.
      if (event.detail == DPROF_ALLOCATOR_MMAP && pieceAt(event.address) != NO_PIECE) {
        event.code = DPROF_EVENT_TIME;
        event.cpu = NO_CPU;
      } else
        event.address = place(event.address);
      break;
    case DPROF_EVENT_RELEASE:
    case DPROF_EVENT_ACQUIRE:
    case DPROF_EVENT_BOTH:
      if (event.detail == DPROF_SYNC_THREAD_CREATE || event.detail == DPROF_SYNC_THREAD_JOIN)
        event.address = thread(event.address);
      else if (event.detail != DPROF_SYNC_FILE && event.detail != DPROF_SYNC_PROCESS)
        event.address = place(event.address);
      break;
    case DPROF_EVENT_THREAD_START:
      // A process begins behind the events that others had logged by then; no THREAD_CREATE says so.
      if (first_) event.code = DPROF_EVENT_BLOCKED;
      event.address = place(event.address);
      break;
    case DPROF_EVENT_THREAD_LOCAL:
      if (event.unit != NO_INDEX) event.unit += process_->firstUnit;
      [[fallthrough]];
    case DPROF_EVENT_THREAD_END: event.address = place(event.address); break;
    case DPROF_EVENT_UNSEEN:
      if (isKernelRange(event)) event.address = place(event.address);
      break;
    default: break;
  }
}

/// The first mapping makes the object of shared memory, as large as anybody has it; the others only come after it.
void SpaceCursor::allocate(Event &event) {
  size_t piece = event.detail == DPROF_ALLOCATOR_MMAP ? pieceAt(event.address) : NO_PIECE;
  const SharedColumns &shared = process_->shared;
  if (piece == NO_PIECE) {
    event.address = place(event.address);
  } else if (shared.wholeBytes[piece] > 0 && static_cast<uint64_t>(shared.mappedAt[piece]) == event.address) {
    event.address = static_cast<uint64_t>(shared.wholeAt[piece]);
    event.size = static_cast<uint64_t>(shared.wholeBytes[piece]);
  } else {
    event.code = DPROF_EVENT_BLOCKED;
  }
}

uint64_t SpaceCursor::thread(uint64_t number) const {
  return number < process_->threads.count ? process_->threads[number] : number + process_->base;
}

size_t SpaceCursor::pieceAt(uint64_t address) const {
  const SharedColumns &shared = process_->shared;
  if (shared.begin.count == 0 || address >= SPACE_BYTES) return NO_PIECE;
  const double at = static_cast<double>(address), *begin = shared.begin.data, *behind = begin + shared.begin.count;
  const double *found = std::upper_bound(begin, behind, at);
  if (found == begin) return NO_PIECE;
  size_t last = static_cast<size_t>(found - begin) - 1;
  if (at >= shared.end[last]) return NO_PIECE;
  // Pieces of these bounds, by time; the last one that had begun.
  size_t first = static_cast<size_t>(std::lower_bound(begin, found, begin[last]) - begin);
  const uint64_t *from = shared.from.data;
  size_t begun = static_cast<size_t>(std::upper_bound(from + first, from + last + 1, stamp_) - from);
  return begun > first && stamp_ < shared.to[begun - 1] ? begun - 1 : NO_PIECE;
}

} // namespace dprof
