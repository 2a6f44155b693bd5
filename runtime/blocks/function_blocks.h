// Stage: blocks. The code of a function -> its basic blocks.
#pragma once

#include <vector>

#include "hex.h"

namespace dprof {

struct FunctionBlock {
  size_t offset; // in the function
  Bytes code;    // without the jump, call or return that ends it
};

std::vector<FunctionBlock> cut_blocks(const Bytes &function);

} // namespace dprof
