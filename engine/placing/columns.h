// Stage: placing -> trace. Bytes of a column: variable-length integers, and its packed form (docs/trace-format.md).
#pragma once

#include <cstdint>
#include <vector>

namespace dprof {

class WrittenColumn {
public:
  size_t size() const { return size_; }
  void clear() { size_ = 0; }
  /// Room for so many more bytes; those below need it.
  void reserve(size_t more) {
    if (bytes_.size() - size_ < more) [[unlikely]]
      bytes_.resize((size_ + more) * 2);
  }
  void byte(unsigned value) { bytes_[size_++] = static_cast<uint8_t>(value); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<unsigned>(value & 0x7f) | 0x80);
    byte(static_cast<unsigned>(value));
  }
  void zigzag(uint64_t value) { varint(value << 1 ^ (0 - (value >> 63))); }
  static constexpr size_t LONGEST_VARINT = 10;
  /// Appends stored bytes, raw bytes and one LZ4 block.
  void pack(std::vector<uint8_t> &payload) const;

private:
  std::vector<uint8_t> bytes_;
  size_t size_ = 0;
};

inline void putLittleEndian(std::vector<uint8_t> &payload, uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) payload.push_back(static_cast<uint8_t>(value >> shift));
}

} // namespace dprof
