// Stage: replay. The present life of an object: the path that the object has taken so far. docs/data-flow.md, "Paths".
#pragma once

#include <cstdint>

#include "batch/outcome.h"

namespace dprof {

/// A place and a core in one word.
using StepKey = uint32_t;
constexpr unsigned PLACE_BITS = 26;
constexpr uint32_t NO_PLACE = (1u << PLACE_BITS) - 1; // for a life that has no step yet
constexpr StepKey stepKey(uint32_t core, uint32_t place) { return core << PLACE_BITS | place; }

/// One host cache line. The LiveObject of the same number has its own.
struct alignas(64) Life {
  // A plain hit reads and writes these; they belong to the step under way.
  StepKey key = stepKey(0, NO_PLACE); // before the first step: the core that the life began on
  uint32_t mask = ~0u;                // 0: the path is cut, and all further references count in its last step
  uint64_t begin = 0, end = 0;        // addresses: from the lowest byte to behind the highest
  uint64_t hits = 0;                  // hits that are not added to the step yet
  uint64_t hash = 0;                  // of the steps so far
  uint32_t first = 0, last = 0;       // of its steps in LifePaths; 0: none
  uint32_t object = 0;                // its number, + 1
  uint32_t owner = 0;                 // in Residency; 0: it has brought no line
  uint64_t lines = 0;                 // of ObjectLines; of all lives of the object

  bool isNext(StepKey of) const { return (key ^ of) & mask; }
  uint32_t core() const { return key >> PLACE_BITS; }
};
static_assert(sizeof(Life) == 64);

/// A step of a life that goes on. The fields that references write fill one host cache line.
struct alignas(64) LifeStep {
  uint64_t served[SERVERS] = {};
  uint64_t latencyCycles = 0;
  uint64_t time = 0;           // in its life
  uint64_t begin = 0, end = 0; // addresses, once it is over
  uint32_t next = 0;
  uint32_t place = 0; // NO_INDEX: the step that holds what was cut
  uint8_t number = 0; // from 1
  bool changesCore = false;
};

} // namespace dprof
