// Stage: caches -> shard. Whole numbers in as few bytes as they need: seven bits a byte, the lowest first.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace dprof {

struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

inline void putNumber(std::vector<uint8_t> &bytes, uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<uint8_t>(number) | 0x80);
  bytes.push_back(static_cast<uint8_t>(number));
}

/// A number that is often NO_INDEX.
inline void putIndex(std::vector<uint8_t> &bytes, uint32_t index) { putNumber(bytes, uint32_t{index + 1}); }

/// The file begins with magic, version, and bytes of the header; then comes the header. docs/replay/shards.md.
constexpr char SHARD_MAGIC[8] = {'D', 'P', 'R', 'O', 'F', 'S', 'H', 'D'};
constexpr uint32_t SHARD_VERSION = 1;
/// A block begins with the bytes of its payload and their checksum. The last block's payload is the end.
constexpr uint32_t LAST_BLOCK = 1u << 31, MOST_BLOCK = 1u << 28;
/// They stand below an outcome's bits.
enum ShardFlags : uint32_t { HAS_ASIDE = 1, HAS_MOVES = 2, IS_PIECE = 4, FLAG_BITS = 3 };

} // namespace dprof
