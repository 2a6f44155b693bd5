// Stage: trace -> replay. Codes and zigzags -> the words of one step, by the prediction of docs/trace-format.md.
#include "trace/quick_words.h"

namespace dprof {

/// A zigzag of up to 8 bytes.
[[gnu::noinline]] static Zigzag longZigzag(const uint8_t *at) {
  uint64_t bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  const uint64_t stops = ~bytes & 0x8080808080808080;
  if (stops == 0) return {0, nullptr};
  uint64_t n = bytes & (stops ^ (stops - 1)) & 0x7f7f7f7f7f7f7f7f;
  n = (n & 0x007f007f007f007f) | (n & 0x7f007f007f007f00) >> 1;
  n = (n & 0x00003fff00003fff) | (n & 0x3fff00003fff0000) >> 2;
  n = (n & 0x000000000fffffff) | (n & 0x0fffffff00000000) >> 4;
  return {(n >> 1) ^ (0 - (n & 1)), at + (std::countr_zero(stops) >> 3) + 1};
}

[[gnu::noinline]] static Zigzag anyZigzag(Cursor column, const uint8_t *at) {
  column.at = at;
  const uint64_t value = column.zigzag();
  return {value, column.at};
}

[[gnu::always_inline]] static inline Zigzag nextZigzag(const uint8_t *at) {
  if (const uint64_t first = *at; first < 0x80) return {(first >> 1) ^ (0 - (first & 1)), at + 1};
  const Zigzag next = shortZigzag(at);
  return next.behind ? next : longZigzag(at);
}

/// What these codes ask for, and no more.
template <uint32_t COUNT, unsigned CODES>
QuickWords QuickWords::decode(Path &taken, uint64_t *word, const uint8_t *zigzags, uint64_t base) {
  if constexpr (CODES >> 2 * COUNT != 0) return {nullptr, 0}; // codes behind those of the path's words
  if constexpr (COUNT == 0) return {zigzags, base};
  uint64_t logged[COUNT + 1];
  for (uint32_t i = 0; i < COUNT; i++) {
    if ((CODES >> 2 * i & 3) != 2) continue;
    const Zigzag next = nextZigzag(zigzags);
    if (!next.behind) [[unlikely]]
      return {nullptr, 0};
    zigzags = next.behind;
    logged[i] = next.value;
  }
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
  return {zigzags, base};
}

QuickWords::Few QuickWords::few(uint32_t count, unsigned codes) {
  static constexpr auto FUNCTIONS = table(std::make_index_sequence<size_t{FEW + 1} * 64>());
  return FUNCTIONS[count * 64 + codes];
}

/// All words go as predicted, then those that do not are put right.
QuickWords QuickWords::many(Path &taken, uint64_t *word, const uint8_t *zigzags, uint64_t base, const uint8_t *codesAt,
                            const Cursor &column) {
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
