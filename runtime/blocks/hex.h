// Stage: blocks. Bytes, as two hexadecimal digits each.
#pragma once

#include <stdint.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dprof {

using Bytes = std::vector<uint8_t>;

inline int hex_digit(char from) {
  if (from >= '0' && from <= '9') return from - '0';
  const char lower = (char)(from | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Nothing if the text is something else.
inline std::optional<Bytes> parse_hex(std::string_view text) {
  if (text.size() % 2 != 0) return {};
  Bytes bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes.push_back((uint8_t)(high << 4 | low));
  }
  return bytes;
}

inline std::string spell_hex(const uint8_t *bytes, size_t count) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; i++) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

} // namespace dprof
