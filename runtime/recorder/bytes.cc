// Stage: recorder. LZ4 columns, JSON strings.
#include "bytes.h"

#include <lz4.h>

namespace dprof {
namespace {

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

void put_raw(Bytes &to, const void *bytes, size_t count) {
  const uint8_t *p = (const uint8_t *)bytes;
  to.insert(to.end(), p, p + count);
}

size_t put_column(Bytes &to, const uint8_t *bytes, size_t count, int haste) {
  size_t at = to.size();
  uint32_t raw = (uint32_t)count, stored = 4;
  to.resize(at + 8 + (count ? (size_t)LZ4_compressBound((int)count) : 0));
  if (count)
    stored += (uint32_t)LZ4_compress_fast((const char *)bytes, (char *)to.data() + at + 8, (int)count,
                                          LZ4_compressBound((int)count), haste);
  memcpy(to.data() + at, &stored, 4);
  memcpy(to.data() + at + 4, &raw, 4);
  to.resize(at + 4 + stored);
  return stored - 4;
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
