// Stage: placing. Ranges of an object, cut where they do not stay together.
#include "placing/object_layout.h"

#include <algorithm>

namespace dprof {

bool ObjectLayout::goesOn(uint64_t &offset, int64_t &stride, uint64_t bytes, uint64_t times) const {
  const uint64_t last = offset + (times - 1) * static_cast<uint64_t>(stride);
  const uint64_t low = std::min(offset, last), high = std::max(offset, last) + bytes;
  if (high <= head) return true;
  if (low >= end) {
    offset = newEnd + offset - end;
    return true;
  }
  if (low < head || high > end) return false;
  const auto oldBytes = static_cast<int64_t>(type->oldBytes), newBytes = static_cast<int64_t>(type->newBytes);
  const uint64_t element = (low - head) / type->oldBytes, byte = (low - head) % type->oldBytes;
  const bool isOfEach = stride % oldBytes == 0;
  const uint64_t until = byte + (isOfEach ? bytes : high - low);
  if (until > static_cast<uint64_t>(type->until[byte]) || type->at[byte] < 0 || type->at[byte] >= COLD) return false;
  const uint64_t lowest = inElement(element, type->at[byte]);
  const uint64_t steps = offset == low ? 0 : times - 1;
  if (isOfEach) stride = stride / oldBytes * newBytes;
  offset = lowest - steps * static_cast<uint64_t>(stride);
  return true;
}

Piece ObjectLayout::pieceAt(uint64_t from, uint64_t last, bool whole) const {
  if (from < head || from >= end) {
    const uint64_t bytes = (from < head ? std::min(last, head) : last) - from;
    return {from, bytes, offsetOf(from, bytes), bytes};
  }
  const uint64_t element = (from - head) / type->oldBytes, byte = from - head - element * type->oldBytes;
  const uint64_t left = std::min(last, end) - from;
  if (whole && !type->coldBytes && byte == 0 && left >= type->oldBytes)
    return {from, type->oldBytes, inElement(element, 0), type->newBytes};
  if (whole)
    for (auto part = std::lower_bound(type->partBegin.data, type->partBegin.data + type->partBegin.count, byte) -
                     type->partBegin.data;
         static_cast<size_t>(part) < type->partBegin.count && type->partBegin[static_cast<size_t>(part)] == byte;
         part++) {
      const auto row = static_cast<size_t>(part);
      if (type->partBytes[row] <= left)
        return {from, type->partBytes[row], inElement(element, static_cast<int32_t>(type->partAt[row])),
                type->partNewBytes[row]};
    }
  const uint64_t bytes = std::min(static_cast<uint64_t>(type->until[byte]) - byte, left);
  const bool isPadding = type->at[byte] < 0;
  return {from, bytes, isPadding ? APART : inElement(element, type->at[byte]), bytes};
}

void ObjectLayout::pieces(uint64_t offset, uint64_t bytes, bool whole, std::vector<Piece> &found) const {
  const uint64_t last = offset + bytes;
  for (uint64_t from = offset; from < last;) {
    Piece piece = pieceAt(from, last, whole);
    from += piece.bytes;
    if (piece.newOffset == APART) continue;
    piece.from -= offset;
    // What lies behind the piece before, both times, is one with it.
    if (Piece *before = found.empty() ? nullptr : &found.back();
        before && before->from + before->bytes == piece.from &&
        before->newOffset + before->newBytes == piece.newOffset) {
      before->bytes += piece.bytes;
      before->newBytes += piece.newBytes;
    } else {
      found.push_back(piece);
    }
  }
}

} // namespace dprof
