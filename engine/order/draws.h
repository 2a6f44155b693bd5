// Stage: replay. The numbers that a random schedule is drawn with: docs/replay/order.md; src/order/draws.ts draws
// the same.
#pragma once

#include "base/finaliser.h"

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
  uint32_t draw() { return finalise(state_ += 0x9e3779b9); }
  uint32_t state_;
};

} // namespace dprof
