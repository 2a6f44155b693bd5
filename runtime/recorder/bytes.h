// Stage: recorder. Growing byte columns, variable-length integers, checksums.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <memory>
#include <string>
#include <vector>

#include "checksum.h"

namespace dprof {

// `resize` does not initialise new elements: columns and payloads are written over at once.
template <typename T> struct Unfilled : std::allocator<T> {
  template <typename U> struct rebind {
    using other = Unfilled<U>;
  };
  template <typename U> void construct(U *at) noexcept { ::new ((void *)at) U; }
  template <typename U, typename... Arguments> void construct(U *at, Arguments &&...arguments) {
    ::new ((void *)at) U(std::forward<Arguments>(arguments)...);
  }
};
using Bytes = std::vector<uint8_t, Unfilled<uint8_t>>;

inline uint64_t zigzag(uint64_t value) { return value << 1 ^ (0 - (value >> 63)); }

// Writes `value` as a varint at `to`, where there is room for 10 bytes; returns how many it took. Without a loop:
// lengths vary too much for its branch to be predicted.
inline size_t write_varint(uint8_t *to, uint64_t value) {
  if (__builtin_expect(value >> 56, 0)) {
    size_t n = 0;
    for (; value >= 0x80; value >>= 7) to[n++] = (uint8_t)(value | 0x80);
    to[n++] = (uint8_t)value;
    return n;
  }
  size_t bytes = (size_t)(70 - __builtin_clzll(value | 1)) / 7;
  uint64_t x = (value & 0x00fffffff0000000) << 4 | (value & 0x000000000fffffff);
  x = (x & 0x0fffc0000fffc000) << 2 | (x & 0x00003fff00003fff);
  x = (x & 0x3f803f803f803f80) << 1 | (x & 0x007f007f007f007f);
  x |= 0x8080808080808080 & ((1ull << 8 * (bytes - 1)) - 1);
  memcpy(to, &x, 8);
  return bytes;
}

// Appends without looking at its capacity: reserve() first.
class Column {
public:
  size_t size() const { return size_; }
  const uint8_t *data() const { return bytes_.data(); }
  void clear() { size_ = 0; }
  void reserve(size_t more) {
    if (bytes_.size() - size_ < more + 16) bytes_.resize((size_ + more + 16) * 2);
  }
  void put_byte(uint8_t value) { bytes_[size_++] = value; }
  void put_varint(uint64_t value) {
    if (value < 0x80)
      put_byte((uint8_t)value);
    else
      size_ += write_varint(bytes_.data() + size_, value);
  }
  void put_zigzag(uint64_t value) { put_varint(zigzag(value)); }

  // For loops that keep the place in a register: the place for the next byte, and the new end.
  uint8_t *end() { return bytes_.data() + size_; }
  void set_end(const uint8_t *end) { size_ = (size_t)(end - bytes_.data()); }

private:
  Bytes bytes_;
  size_t size_ = 0;
};
constexpr size_t longest_varint = 10;

// CRC-32 as zlib computes it.

void put_raw(Bytes &to, const void *bytes, size_t count);
// A column as a chunk holds it: stored_bytes, raw_bytes, one LZ4 block; returns how long the block is. `haste`: LZ4's
// acceleration.
size_t put_column(Bytes &to, const uint8_t *bytes, size_t count, int haste = 1);

} // namespace dprof
