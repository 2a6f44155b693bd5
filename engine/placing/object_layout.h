// Stage: placing. An object whose bytes lie otherwise, as src/what-if/object-layout.ts has it: an array of elements of
// one type, with bytes before the first one and behind the last one that stay as they are.
#pragma once

#include <vector>

#include "trace/input.h"

namespace dprof {

constexpr uint64_t APART = ~uint64_t{0}; // bytes do not stay together; or are padding

// As src/what-if/type-layout.ts has them: offsets in the cold part of a type, and of an array of it.
constexpr int32_t COLD = 1 << 30;
constexpr uint64_t COLD_ARRAY = uint64_t{1} << 50;
constexpr bool isCold(uint64_t offset) { return offset >= COLD_ARRAY && offset != APART; }

/// Where the bytes of a type lie; src/what-if/type-layout.ts says it of each column.
struct TypeLayout {
  uint64_t oldBytes, newBytes, coldBytes;
  int64_t pointerAt; // less than 0: there is no pointer to the cold part
  bool isPerThread;  // each thread has a cold part of its own
  Column<int32_t> at, until;
  Column<uint32_t> partBegin, partBytes, partAt, partNewBytes; // in order of their begins, the largest first
};

struct Piece {
  uint64_t from, bytes, newOffset, newBytes; // `newOffset`: APART: padding
};

struct ObjectLayout {
  const TypeLayout *type;
  uint64_t head, end, newEnd, newSize;

  /// Where the bytes [offset, offset + bytes) lie, in the cold parts from COLD_ARRAY on; APART: not together.
  uint64_t offsetOf(uint64_t offset, uint64_t bytes) const {
    if (offset >= end) return newEnd + offset - end;
    if (offset < head) return offset + bytes <= head ? offset : APART;
    const uint64_t element = (offset - head) / type->oldBytes, byte = offset - head - element * type->oldBytes;
    if (byte + bytes > static_cast<uint64_t>(type->until[byte]) || type->at[byte] < 0) return APART;
    return inElement(element, type->at[byte]);
  }
  /// The offset of the pointer to the cold part of the element at `offset`; APART: there is none.
  uint64_t pointerOf(uint64_t offset) const {
    if (type->pointerAt < 0) return APART;
    return head + (offset - head) / type->oldBytes * type->newBytes + static_cast<uint64_t>(type->pointerAt);
  }
  /// `times` accesses of so many bytes, `stride` bytes from one to the next, the first one at `offset`, if they stay as
  /// far from one another: where the first one lies, and how far. False: they may not, or lie in cold parts.
  bool goesOn(uint64_t &offset, int64_t &stride, uint64_t bytes, uint64_t times) const;
  /// The bytes [offset, offset + bytes) in their order, without padding; `whole`: as src/what-if/object-layout.ts.
  void pieces(uint64_t offset, uint64_t bytes, bool whole, std::vector<Piece> &found) const;

private:
  uint64_t inElement(uint64_t element, int32_t at) const {
    return at >= COLD ? COLD_ARRAY + element * type->coldBytes + static_cast<uint64_t>(at - COLD)
                      : head + element * type->newBytes + static_cast<uint64_t>(at);
  }
  Piece pieceAt(uint64_t from, uint64_t last, bool whole) const;
};

} // namespace dprof
