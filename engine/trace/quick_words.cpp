// Stage: trace -> replay. Zigzags that are long.
#include "trace/quick_words.h"

namespace dprof {

Zigzag longZigzag(const uint8_t *at) {
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

Zigzag anyZigzag(const Cursor &of, const uint8_t *at) {
  Cursor column = of;
  column.at = at;
  const uint64_t value = column.zigzag();
  return {value, column.at};
}

} // namespace dprof
