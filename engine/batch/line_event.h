// Stage: replay. An action of the caches on a line because of a reference.
#pragma once

#include <cstdint>

namespace dprof {

struct LineEvent {
  /// EVICTED: the line went with a line of an inclusive level. MOVED: it moved up, out of an exclusive level. LEFT: the
  /// line was invalidated, but no core lost it by that; told only if the flow is wanted.
  enum Kind : uint8_t { FILLED, INVALIDATED, EVICTED, MOVED, LEFT } kind;
  uint8_t level;
  uint16_t unit;       // of the level
  uint32_t place;      // set × ways + way in the unit: filled, or where the removed line was
  uint32_t line;       // filled: the id of the line that had to leave, 0 for none; else the removed one's
  uint32_t filled = 0; // the line that came
};

/// The lines that a miss of a plain machine's L1 brought in. For each level that it passed: the place (set × ways +
/// way), and the line that had to leave, 0 for none.
struct LineMiss {
  uint32_t place[3], victim[3];
  uint64_t left; // a bit for each byte of the L1's victim that was touched there; if lines are longer than 64 bytes,
                 // the index of those bits in `leftLines`
};

} // namespace dprof
