// Stage: recorder. Checksums, LZ4 columns, JSON strings.
#include "bytes.h"

#include <lz4.h>

#include <array>

namespace dprof {
namespace {

using Table = std::array<std::array<uint32_t, 256>, 8>;

constexpr Table make_table() {
  Table table = {};
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; bit++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    table[0][i] = c;
  }
  for (uint32_t i = 0; i < 256; i++)
    for (size_t n = 1; n < 8; n++) table[n][i] = table[n - 1][i] >> 8 ^ table[0][table[n - 1][i] & 0xff];
  return table;
}

constexpr Table table = make_table();

// Bytes of the well-formed UTF-8 character at `p`, or 0.
size_t character_bytes(const unsigned char *p, size_t left) {
  if (p[0] < 0x80) return 1;
  size_t n = p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
  if (!n || n > left) return 0;
  for (size_t i = 1; i < n; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  bool overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
  bool outside = (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf4 && p[1] > 0x8f);
  return overlong || outside ? 0 : n;
}

} // namespace

uint32_t checksum(const void *bytes, size_t count, uint32_t before) {
  const uint8_t *p = (const uint8_t *)bytes;
  uint32_t c = ~before;
  for (; count >= 8; count -= 8, p += 8) {
    uint32_t low, high;
    memcpy(&low, p, 4);
    memcpy(&high, p + 4, 4);
    low ^= c;
    c = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^ table[4][low >> 24] ^ table[3][high & 0xff] ^
        table[2][high >> 8 & 0xff] ^ table[1][high >> 16 & 0xff] ^ table[0][high >> 24];
  }
  while (count--) c = c >> 8 ^ table[0][(c ^ *p++) & 0xff];
  return ~c;
}

void put_raw(Bytes &to, const void *bytes, size_t count) {
  const uint8_t *p = (const uint8_t *)bytes;
  to.insert(to.end(), p, p + count);
}

void put_column(Bytes &to, const uint8_t *bytes, size_t count) {
  size_t at = to.size();
  uint32_t raw = (uint32_t)count, stored = 4;
  to.resize(at + 8 + (count ? (size_t)LZ4_compressBound((int)count) : 0));
  if (count) stored += (uint32_t)LZ4_compress_default((const char *)bytes, (char *)to.data() + at + 8, (int)count, LZ4_compressBound((int)count));
  memcpy(to.data() + at, &stored, 4);
  memcpy(to.data() + at + 4, &raw, 4);
  to.resize(at + 4 + stored);
}

std::string json_string(const std::string &text) {
  std::string out = "\"";
  const unsigned char *p = (const unsigned char *)text.data(), *end = p + text.size();
  while (p < end) {
    size_t n = character_bytes(p, (size_t)(end - p));
    if (*p == '"' || *p == '\\') {
      out += '\\';
      out += (char)*p;
    } else if (*p < 0x20) {
      char escaped[8];
      snprintf(escaped, sizeof escaped, "\\u%04x", *p);
      out += escaped;
    } else if (n) {
      out.append((const char *)p, n);
    } else {
      out += "\\ufffd";
    }
    p += n ? n : 1;
  }
  return out + "\"";
}

} // namespace dprof
