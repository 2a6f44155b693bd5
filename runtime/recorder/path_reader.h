// Stage: recorder. The number of a path in a region -> the words of it that are coded, and the other facts that the
// encoder needs.
#pragma once

#include <stdint.h>

#include <vector>

#include "unit_view.h"

namespace dprof {

struct PathRecord {
  uint32_t record;     // in its unit
  uint32_t first_word; // of its logged words, behind the header word
};

struct PathShape {
  std::vector<PathRecord> records;
  uint32_t words = 0;          // that follow the header word, gaps and stamp included
  std::vector<uint32_t> coded; // where its coded words stand among them
  uint32_t segments = 0;
  uint8_t stamp_event = 0; // RELEASE, ACQUIRE or BOTH if the last word is a stamp; else 0
  // The address of the stamp's atomic: this coded word, plus a constant.
  uint32_t atomic_word = 0;
  uint64_t atomic_delta = 0;
};

// False: there is no such path, or the unit is not one that a plugin wrote. `entry` is below the number of the unit's
// regions.
bool read_path(const UnitView &unit, uint32_t entry, uint32_t number, PathShape *shape);

} // namespace dprof
