// Stage: trace -> replay. A reference to memory, as batches have it.
#pragma once

#include <cstdint>

namespace dprof {

/// Or a run of them that are plain hits of one line, with the lowest address (joined_runs.h), or all of a path that
/// hits, without an address (steady_path.h).
struct Reference {
  uint64_t address;
  uint32_t slot : 26, size : 5, store : 1;
  uint32_t granule; // page_map.h; of a plain hit of a lone core perhaps its line's first
};

} // namespace dprof
