// Stage: placing. Where the live objects of the program lie anew, and with them every address;
// src/what-if/placement.ts is the same.
#pragma once

#include <algorithm>
#include <cmath>

#include "placing/object_layout.h"
#include "placing/tracked_objects.h"

namespace dprof {

/// By object number; src/what-if/placed-objects.ts.
struct PlacedObjects {
  Column<double> address;    // NaN: it stays where it is, as it is
  Column<uint32_t> layout;   // 1 + that of `layouts`; 0: as before
  Column<double> cold;       // where its cold parts begin, if its layout has such; or the first thread's
  uint64_t threadStride = 0; // from a part of one thread to that of the next
  std::vector<TypeLayout> types;
  std::vector<ObjectLayout> layouts;
};

struct PlacedPiece {
  uint64_t from, bytes, address, newBytes; // `from`: counted from the first byte that was asked for
  uint64_t pointer; // of the pointer to the cold part that it is in; APART: it is in none, or nobody needs it
};

class Placement {
public:
  Placement(TrackedObjects &objects, const PlacedObjects &placed) : objects_(objects), placed_(placed) {}

  /// Where `bytes` bytes from the address on lie; APART if they do not stay together. A block that begins in an
  /// object and ends beyond it goes with its beginning.
  [[gnu::always_inline]] uint64_t place(uint64_t address, uint64_t bytes) {
    pointer = APART;
    if (!find(address)) return address;
    const uint64_t offset = address - object_->start;
    if (!layout_) return begin_ + offset;
    const uint64_t to = layout_->offsetOf(offset, bytes);
    if (isCold(to)) [[unlikely]]
      pointer = pointerOf(offset);
    return to == APART ? APART : at(to);
  }
  /// `times` accesses to the object, from one of which to the next it is `stride` bytes, if they stay as far from one
  /// another and need no pointer: where the first one is, and how far. False: else.
  bool goesOn(const LiveObject &object, uint64_t &address, int64_t &stride, uint64_t bytes, uint64_t times);
  /// Of what `place` was asked for last: as in PlacedPiece.
  uint64_t pointer = APART;
  uint32_t thread = 0; // the one that asks
  /// The same bytes, in as many pieces as they become.
  void pieces(uint64_t address, uint64_t bytes, bool whole, std::vector<PlacedPiece> &found);
  /// Where the object lies that begins there; its first byte may be another field's.
  uint64_t begin(uint64_t address) { return find(address) && object_->start == address ? begin_ : place(address, 1); }
  /// The size of the object that begins there, if it has another one now.
  uint64_t sizeAt(uint64_t address, uint64_t size) {
    return find(address) && object_->start == address && object_->size == size && layout_ ? layout_->newSize : size;
  }
  void event(Event &event);
  /// The object will be asked for soon.
  void fetch(uint32_t object) const {
    if (object >= placed_.address.count) return;
    __builtin_prefetch(placed_.address.data + object);
    __builtin_prefetch(placed_.layout.data + object);
  }

private:
  uint64_t at(uint64_t offset) const { return isCold(offset) ? cold_ + offset - COLD_ARRAY : begin_ + offset; }
  uint64_t pointerOf(uint64_t offset) const {
    const uint64_t to = layout_->pointerOf(offset);
    return to == APART ? APART : begin_ + to;
  }
  [[gnu::always_inline]] bool find(uint64_t address) {
    object_ = objects_.find(address);
    if (!object_) [[unlikely]]
      if (!(object_ = behind(address))) return false;
    if (object_->id >= placed_.address.count) throw InputError("an object that was not placed");
    const double begin = placed_.address[object_->id];
    if (std::isnan(begin)) return false;
    begin_ = static_cast<uint64_t>(begin);
    const uint32_t layout = placed_.layout[object_->id];
    layout_ = layout ? &placed_.layouts[layout - 1] : nullptr;
    if (layout_ && layout_->type->coldBytes)
      cold_ = static_cast<uint64_t>(placed_.cold[object_->id]) +
              (layout_->type->isPerThread ? thread * placed_.threadStride : 0);
    return true;
  }

  /// The block that has the address among the bytes behind those that were asked for: a program that asks
  /// malloc_usable_size uses them. As many as glibc gives.
  const LiveObject *behind(uint64_t address) {
    for (uint64_t back = 8; back <= 24 && back <= address; back += 8) {
      const LiveObject *block = objects_.find(address - back);
      if (!block) continue;
      const uint64_t usable = std::max<uint64_t>(24, ((block->size + 8 + 15) & ~uint64_t{15}) - 8);
      return block->kind == HEAP && !block->part && !block->mapped && address - block->start < usable ? block : nullptr;
    }
    return nullptr;
  }

  TrackedObjects &objects_;
  const PlacedObjects &placed_;
  // Of the address asked for last.
  const LiveObject *object_ = nullptr;
  uint64_t begin_ = 0, cold_ = 0;
  const ObjectLayout *layout_ = nullptr;
  std::vector<Piece> own_;
};

} // namespace dprof
