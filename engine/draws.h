// Stage: replay. The numbers that a random schedule is drawn with: docs/replay.md, "Order"; src/order/draws.ts draws the same.
#pragma once

#include <cstdint>

namespace dprof {

class Draws {
public:
  explicit Draws(uint32_t seed) : state_(seed) {}

  /// One of [0, bound).
  uint32_t below(uint32_t bound) { return draw() % bound; }
  /// Instructions of a turn: short ones are as likely as long ones.
  uint32_t quantum() {
    uint32_t bits = below(LARGEST_QUANTUM_BITS + 1);
    return 1 + below(uint32_t{1} << bits);
  }

private:
  static constexpr uint32_t LARGEST_QUANTUM_BITS = 8;
  uint32_t draw() {
    uint32_t mixed = state_ += 0x9e3779b9;
    mixed = (mixed ^ mixed >> 16) * 0x85ebca6b;
    mixed = (mixed ^ mixed >> 13) * 0xc2b2ae35;
    return mixed ^ mixed >> 16;
  }
  uint32_t state_;
};

} // namespace dprof
