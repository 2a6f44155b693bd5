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

struct BrokenInvariant {
  const char *reason; // "" if all hold. docs/blocks.md has a paragraph for each word
  size_t copy;        // the first that breaks it
};

// Over the first `copies` copies.
BrokenInvariant find_broken(const Block &block, const SharedWindow &window, size_t copies, const CacheShape &cache);

} // namespace dprof
