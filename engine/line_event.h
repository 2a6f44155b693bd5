// Stage: replay. What the caches did with a line because of a reference.
#pragma once

#include <cstdint>

namespace dprof {

struct LineEvent {
  enum Kind : uint8_t { FILLED, INVALIDATED, EVICTED, MOVED } kind; // evicted: with the line of an inclusive level; moved: up, out of an exclusive one
  uint8_t level;
  uint16_t unit;  // of the level
  uint32_t place; // set × ways + way in the unit: filled, or where the removed line was
  uint32_t line;  // filled: the id of the line that had to leave, 0 for none; else the removed one's
  uint32_t filled = 0; // the line that came
};

} // namespace dprof
