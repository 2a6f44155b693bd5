// Stage: blocks. A block begins where a branch of the function leads, and behind whatever ends a block. Bytes that are
// no instruction end one too; reading goes on behind the next byte.
#include "function_blocks.h"

#include <set>

#include "instruction.h"

namespace dprof {

std::vector<FunctionBlock> cut_blocks(const Bytes &function) {
  std::set<size_t> beginnings = {0};
  std::vector<std::pair<size_t, BlockInstruction>> instructions;
  for (size_t at = 0; at < function.size();) {
    std::optional<BlockInstruction> next = decode_block_instruction(&function[at], function.size() - at);
    if (!next) {
      next.emplace();
      next->bytes = 1;
      next->ends_block = true;
    }
    const size_t end = at + next->bytes;
    if (next->ends_block) beginnings.insert(end);
    if (next->branch) {
      const int64_t target = (int64_t)end + *next->branch;
      if (target >= 0 && target < (int64_t)function.size()) beginnings.insert((size_t)target);
    }
    instructions.emplace_back(at, std::move(*next));
    at = end;
  }
  std::vector<FunctionBlock> blocks;
  bool is_open = false;
  for (const auto &[at, instruction] : instructions) {
    if (beginnings.contains(at)) is_open = false;
    if (instruction.ends_block) {
      is_open = false;
      continue;
    }
    if (!is_open) blocks.push_back({at, {}});
    is_open = true;
    blocks.back().code.insert(blocks.back().code.end(), function.begin() + (ptrdiff_t)at,
                              function.begin() + (ptrdiff_t)(at + instruction.bytes));
  }
  return blocks;
}

} // namespace dprof
