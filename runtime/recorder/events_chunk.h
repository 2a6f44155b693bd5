// Stage: recorder. What one EVENTS chunk holds, not packed yet.
#pragma once

#include <stdint.h>

#include <vector>

#include "bytes.h"

namespace dprof {

struct EventsChunk {
  uint32_t steps = 0, entries = 0;
  Column control, words, events;

  // The payload of the chunk.
  void pack(std::vector<uint8_t> &payload) const;
};

} // namespace dprof
