// Stage: blocks. The first instruction that refuses a block names the reason.
#include "block.h"

#include <algorithm>

namespace dprof {

size_t Block::access_count() const {
  size_t count = 0;
  for (const BlockInstruction &instruction : instructions) count += instruction.accesses.size();
  return count;
}

Block read_block(Bytes code) {
  Block block;
  block.code = std::move(code);
  if (block.code.empty()) block.refusal = "empty";
  if (block.code.size() > longest_block) block.refusal = "too-long";
  if (!block.refusal.empty()) return block;
  for (size_t at = 0; at < block.code.size();) {
    std::optional<BlockInstruction> next = decode_block_instruction(&block.code[at], block.code.size() - at);
    if (!next) {
      if (block.refusal.empty()) block.refusal = "illegal-instruction";
      return block;
    }
    if (block.refusal.empty()) block.refusal = next->refusal;
    for (const char *kind : {"%xmm", "%ymm", "%zmm"})
      if (next->att.find(kind) != std::string::npos) block.has_vectors = true;
    block.width = std::max(block.width, next->width);
    at += next->bytes;
    block.instructions.push_back(std::move(*next));
  }
  return block;
}

} // namespace dprof
