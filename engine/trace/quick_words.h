// Stage: trace -> replay. The words of a step that is as expected: the prediction state of its path moves on, and its
// coded words go behind the batch's.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "base/calling.h"
#include "trace/path_table.h"

namespace dprof {

struct Zigzag {
  uint64_t value;
  const uint8_t *behind; // null: it has more bytes
};

/// A zigzag of up to 4 bytes.
[[gnu::always_inline]] inline Zigzag shortZigzag(const uint8_t *at) {
  uint32_t n;
  if (!shortVarint(at, n)) return {0, nullptr};
  return {static_cast<uint64_t>(int64_t{static_cast<int32_t>((n >> 1) ^ (0 - (n & 1)))}), at};
}

/// A zigzag of up to 8 bytes.
DPROF_KEEPS_ALL Zigzag longZigzag(const uint8_t *at);
/// One of any length, or an error.
DPROF_KEEPS_ALL Zigzag anyZigzag(const Cursor &column, const uint8_t *at);

/// A zigzag of up to 4 bytes; those of one byte are common.
[[gnu::always_inline]] inline Zigzag nextZigzag(const uint8_t *at) {
  if (const uint64_t first = *at; first < 0x80) return {(first >> 1) ^ (0 - (first & 1)), at + 1};
  return shortZigzag(at);
}

/// Where a step's words leave the column of zigzags, null if they cannot be told here and nothing was changed; and the
/// last of them, the base for the next step.
struct QuickWords {
  static constexpr ptrdiff_t VARINT_BYTES = 10;
  static constexpr uint32_t FEW = 3;   // so many have their codes in the byte of the operation
  static constexpr uint32_t MOST = 31; // so many have their codes in one 64-bit word
  static constexpr uint32_t CODES = 1 << 2 * FEW;
  /// The first place of a path's functions in a table by number of words, or that they are more than few, and codes.
  static uint32_t row(uint32_t codedWords) { return std::min(codedWords, FEW + 1) * CODES; }

  const uint8_t *zigzags;
  uint64_t base;

  /// `logged`: the zigzags of those words whose codes ask for one; returns the base.
  template <uint32_t COUNT, unsigned CODES>
  [[gnu::always_inline]] static uint64_t few(Path &taken, uint64_t *word, const uint64_t *logged, uint64_t base) {
    uint64_t *last = taken.last(), *stride = last + Path::padded(COUNT);
    uint64_t moved = base - taken.base; // a linked word moves as the one before it does
    taken.base = base;
    for (uint32_t i = 0; i < COUNT; i++) {
      const unsigned code = CODES >> 2 * i & 3;
      if (code == 0)
        moved = stride[i];
      else
        stride[i] = moved = code == 1 ? moved : code == 2 ? logged[i] : 0;
      word[i] = base = last[i] + moved;
      if (code != 3) last[i] = base;
    }
    return base;
  }
  /// For up to MOST words, of which as many zigzags can be read. `codes`: the bytes of all of them; `column`: the
  /// zigzags', for errors.
  [[gnu::always_inline]] static QuickWords many(Path &taken, uint64_t *word, const uint8_t *zigzags, uint64_t base,
                                                const uint8_t *codes, const Cursor &column);
  /// All words go as predicted; returns the base.
  [[gnu::always_inline]] static uint64_t predicted(Path &taken, uint64_t *word, uint64_t base) {
    const uint32_t count = taken.codedWords;
    if (count == 0) return base;
    taken.base = base;
    moveOn(taken, word, count);
    return word[count - 1];
  }
  [[gnu::always_inline]] static void moveOn(Path &taken, uint64_t *word, uint32_t count) {
    typedef uint64_t Two [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]];
    auto *last = reinterpret_cast<Two *>(taken.last()), *out = reinterpret_cast<Two *>(word);
    const auto *stride = reinterpret_cast<const Two *>(taken.stride());
    uint32_t i = 0;
    do {
      for (uint32_t k = i / 2; k < (i + Path::GROUP) / 2; k++) out[k] = last[k] = last[k] + stride[k];
    } while ((i += Path::GROUP) < count);
  }
};

/// All words go as predicted, then those that do not are put right.
inline QuickWords QuickWords::many(Path &taken, uint64_t *word, const uint8_t *zigzags, uint64_t base,
                                   const uint8_t *codesAt, const Cursor &column) {
  const uint32_t count = taken.codedWords;
  uint64_t codes;
  std::memcpy(&codes, codesAt, sizeof codes);
  codes &= ~uint64_t{0} >> (64 - 8 * ((count + 3) / 4));
  if (codes >> 2 * count) return {nullptr, 0};
  uint64_t *last = taken.last(), *stride = taken.stride();
  const uint64_t linked = base - taken.base; // the first word's
  moveOn(taken, word, count);
  for (uint64_t others = (codes | codes >> 1) & 0x5555555555555555; others; others &= others - 1) {
    const int shift = std::countr_zero(others), i = shift >> 1;
    const unsigned code = codes >> shift & 3;
    const uint64_t before = last[i] - stride[i];
    uint64_t moved = 0;
    if (code == 2) {
      Zigzag next = nextZigzag(zigzags);
      if (!next.behind) [[unlikely]]
        next = longZigzag(zigzags);
      if (!next.behind) [[unlikely]]
        next = anyZigzag(column, zigzags);
      zigzags = next.behind;
      moved = next.value;
    } else if (code == 1) {
      moved = i ? stride[i - 1] : linked;
    }
    stride[i] = moved;
    word[i] = last[i] = before + moved;
  }
  taken.base = base;
  return {zigzags, word[count - 1]};
}

} // namespace dprof
