// Stage: plugin, "decide". -fdprof-blocks: every block of the program has a record, so that the trace says how often it
// ran. It is off by default.
#ifndef DPROF_PASS_BLOCKS_H
#define DPROF_PASS_BLOCKS_H

#include "llvm/IR/BasicBlock.h"

namespace dprof {

bool wantsBlocks();

// Whether how often a block runs is worth a record: it does more than to lead on.
bool isBlockOfItsOwn(const llvm::BasicBlock &Block);

} // namespace dprof

#endif
