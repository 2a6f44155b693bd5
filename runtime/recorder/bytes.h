// Stage: recorder. Growing byte columns, variable-length integers, checksums.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <string>
#include <vector>

namespace dprof {

// Appends without looking at its capacity: reserve() first.
class Column {
public:
  size_t size() const { return size_; }
  const uint8_t *data() const { return bytes_.data(); }
  void clear() { size_ = 0; }
  void reserve(size_t more) {
    if (bytes_.size() - size_ < more + 8) bytes_.resize((size_ + more + 8) * 2);
  }
  void put_byte(uint8_t value) { bytes_[size_++] = value; }
  void put_varint(uint64_t value) {
    if (value < 0x80) return put_byte((uint8_t)value);
    if (value >> 56) return put_long_varint(value);
    // All bytes at once: lengths vary too much for a loop's branch to be predicted.
    unsigned bytes = (unsigned)(70 - __builtin_clzll(value)) / 7;
    uint64_t x = (value & 0x00fffffff0000000) << 4 | (value & 0x000000000fffffff);
    x = (x & 0x0fffc0000fffc000) << 2 | (x & 0x00003fff00003fff);
    x = (x & 0x3f803f803f803f80) << 1 | (x & 0x007f007f007f007f);
    x |= 0x8080808080808080 & ((1ull << 8 * (bytes - 1)) - 1);
    memcpy(bytes_.data() + size_, &x, 8);
    size_ += bytes;
  }
  void put_zigzag(uint64_t value) { put_varint(value << 1 ^ (0 - (value >> 63))); }

private:
  void put_long_varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) put_byte((uint8_t)(value | 0x80));
    put_byte((uint8_t)value);
  }
  std::vector<uint8_t> bytes_;
  size_t size_ = 0;
};
constexpr size_t longest_varint = 10;

// CRC-32 as zlib computes it.
uint32_t checksum(const void *bytes, size_t count, uint32_t before = 0);

void put_raw(std::vector<uint8_t> &to, const void *bytes, size_t count);
// A column as a chunk holds it: stored_bytes, raw_bytes, one LZ4 block.
void put_column(std::vector<uint8_t> &to, const uint8_t *bytes, size_t count);

// A JSON string, quotes included; bytes that are not UTF-8 become U+FFFD.
std::string json_string(const std::string &text);

} // namespace dprof
