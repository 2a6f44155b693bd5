// Stage: blocks. Bytes -> a block: its instructions, or the reason that it may not be run.
#pragma once

#include <string>
#include <vector>

#include "hex.h"
#include "instruction.h"

namespace dprof {

constexpr size_t longest_block = 16384; // bytes

struct Block {
  Bytes code;
  std::vector<BlockInstruction> instructions;
  std::string refusal; // empty: it may be run
  int width = 0;
  bool has_vectors = false; // it names a vector register

  size_t access_count() const;
};

Block read_block(Bytes code);

} // namespace dprof
