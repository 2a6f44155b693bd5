// Stage: plugin, "decide". Innermost loops whose iterations all make the same records, at addresses that advance by
// constants: their accesses are logged once for each execution of the loop.
#ifndef DPROF_PASS_LOOPS_H
#define DPROF_PASS_LOOPS_H

#include "pieces.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace dprof {

// The address of a slot in the first iteration, and how far it moves with each.
struct LoopAddress {
  int Base = -1;    // derived: number of the slot that it lies `Constant` bytes behind in every iteration
  int32_t Constant; // else its stride, if `Stride` is null
  llvm::Value *First = nullptr, *Stride = nullptr; // as they are before the loop
};

struct LoopExit {
  llvm::BasicBlock *To; // its only way in is out of the loop
  unsigned Records;     // of the last iteration that are made when the loop is left there
};

struct LoopPlan {
  llvm::BasicBlock *Header, *Latch;
  llvm::Instruction *Entering;           // terminator of the block before, which leads nowhere but to the header
  std::vector<llvm::BasicBlock *> Order; // blocks with records, as each iteration passes them
  llvm::SmallPtrSet<llvm::BasicBlock *, 8> Blocks;
  std::vector<LoopAddress> Addresses; // of all slots, in order
  std::vector<LoopExit> Exits;
  llvm::Value *Iterations =
      nullptr; // known before the loop, of one that is left only behind whole iterations; null: they have to be counted
  std::vector<RecordPlan> Records; // of an iteration, once they are taken from the pieces
};

// Gives each a block before it and blocks behind its exits, and computes there where its addresses begin.
std::vector<LoopPlan> findLoops(llvm::Function &F, const FunctionPlan &Plan);

// Moves the records of loops out of the pieces: no path passes there.
void takeRecords(std::vector<LoopPlan> &Loops, std::vector<BlockPieces> &Body);

} // namespace dprof

#endif
