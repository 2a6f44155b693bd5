// Stage: recorder. Raw bytes and LZ4 columns.
#include "bytes.h"

#include <lz4.h>

namespace dprof {
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

} // namespace dprof
