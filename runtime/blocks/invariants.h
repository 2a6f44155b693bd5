// Stage: blocks. The logged addresses -> the reason that a measurement would not be of the block alone.
#pragma once

#include <stddef.h>

#include "block.h"
#include "shared_window.h"

namespace dprof {

// Of this machine's first level.
struct CacheShape {
  size_t data_bytes, data_ways, code_bytes;
};

CacheShape host_cache();

// "" if all hold, over the first `copies` copies. docs/blocks.md has a paragraph for each word.
const char *broken_invariant(const Block &block, const SharedWindow &window, size_t copies, const CacheShape &cache);

} // namespace dprof
