// Stage: placing. Ranges, and what events name.
#include "placing/placement.h"

namespace dprof {

void Placement::pieces(uint64_t address, uint64_t bytes, bool whole, std::vector<PlacedPiece> &found) {
  found.clear();
  if (!find(address) || !layout_ || bytes == 0) {
    found.push_back({0, bytes, place(address, std::min<uint64_t>(1, bytes)), bytes, APART});
    return;
  }
  own_.clear();
  const uint64_t offset = address - object_->start;
  layout_->pieces(offset, bytes, whole, own_);
  for (const Piece &piece : own_)
    found.push_back({piece.from, piece.bytes, at(piece.newOffset), piece.newBytes,
                     isCold(piece.newOffset) ? pointerOf(offset + piece.from) : APART});
}

bool Placement::goesOn(const LiveObject &object, uint64_t &address, int64_t &stride, uint64_t bytes, uint64_t times) {
  if (!find(address) || object_ != &object) return object_ == &object; // that stays where it is
  uint64_t offset = address - object.start;
  if (layout_ && !layout_->goesOn(offset, stride, bytes, times)) return false;
  address = begin_ + offset;
  return true;
}

void Placement::event(Event &event) {
  switch (event.code) {
    case DPROF_EVENT_ALLOCATE:
    case DPROF_EVENT_FREE:
    case DPROF_EVENT_THREAD_LOCAL:
      event.size = sizeAt(event.address, event.size);
      event.address = begin(event.address);
      return;
    case DPROF_EVENT_UNSEEN: {
      if (!isKernelRange(event)) return;
      std::vector<PlacedPiece> found;
      pieces(event.address, event.size, true, found);
      const uint64_t to = found.empty() ? place(event.address, 1) : found[0].address;
      if (to != APART) event.address = to;
      return;
    }
    default: {
      if (!isAtAddress(event)) return;
      const uint64_t to = place(event.address, 1);
      if (to != APART) event.address = to;
    }
  }
}

} // namespace dprof
