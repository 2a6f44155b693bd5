// Stage: trace -> replay. The words of a step that is as expected: the prediction state of its path moves on, and its
// coded words go behind the batch's. Functions of their own, so that each has the registers for itself.
#pragma once

#include <array>
#include <utility>

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

/// Where a step's words leave the column of zigzags, null if they cannot be told here and nothing was changed; and the
/// last of them, the base for the next step.
struct QuickWords {
  static constexpr uint32_t FEW = 3;   // so many have their codes in the byte of the operation
  static constexpr uint32_t MOST = 31; // so many have their codes in one 64-bit word

  const uint8_t *zigzags;
  uint64_t base;

  using Few = QuickWords (*)(Path &taken, uint64_t *word, const uint8_t *zigzags, uint64_t base);
  /// For a path of so many words, and these codes.
  static Few few(uint32_t count, unsigned codes);
  /// For up to MOST words, of which as many zigzags can be read. `codes`: the bytes of all of them; `column`: the
  /// zigzags', for errors.
  static QuickWords many(Path &taken, uint64_t *word, const uint8_t *zigzags, uint64_t base, const uint8_t *codes,
                         const Cursor &column);
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

private:
  template <uint32_t COUNT, unsigned CODES>
  static QuickWords decode(Path &taken, uint64_t *word, const uint8_t *zigzags, uint64_t base);
  template <size_t... INDEX> static constexpr auto table(std::index_sequence<INDEX...>) {
    return std::array<Few, sizeof...(INDEX)>{decode<INDEX / 64, INDEX % 64>...};
  }
};

} // namespace dprof
