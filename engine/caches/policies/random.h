// Stage: replay. Random replacement: an xorshift generator of 32 bits draws the way.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dprof {

class RandomReplacement {
public:
  static constexpr const char *WORD = "random";
  RandomReplacement(uint32_t /* sets */, uint32_t ways, uint32_t seed) : ways_(ways), state_(seed ? seed : 1) {}
  static const char *refusal(uint32_t /* ways */) { return nullptr; }

  void touch(size_t /* first */, size_t /* frame */) {}
  void fill(size_t /* first */, size_t /* frame */) {}
  size_t victim(size_t first) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return first + state_ % ways_;
  }

private:
  uint32_t ways_, state_;
};

} // namespace dprof
