// Stage: plugin, "emit". -fdprof-blocks: which machine code a record stands for. A record of the body that records has
// a *probe* at its place in the plain body: no code, but an entry of the section .pseudo_probe with the address at
// which its place came to lie. With it every block has a record, a marker if it has no other.
#ifndef DPROF_PASS_PROBES_H
#define DPROF_PASS_PROBES_H

#include "pieces.h"
#include "llvm/IR/ValueMap.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace dprof {

class Probes {
public:
  explicit Probes(llvm::Module &M) : M(M) {}

  // The plain body begins there.
  void begin(llvm::BasicBlock &Plain);
  // The records have their numbers in the unit. `BeginBlock`: the first one of each block is the first that is made
  // there. `Copies`: from the body that records to the plain one.
  void add(llvm::ArrayRef<RecordPlan> Records, bool BeginBlock, const llvm::ValueToValueMapTy &Copies);
  // `Unit`: the bytes of the unit, by which its probes are found.
  void finish(llvm::StringRef Unit);

private:
  void place(llvm::Instruction *Before, uint64_t Index, uint32_t Attributes);

  llvm::Module &M;
  llvm::SmallVector<llvm::CallInst *, 0> Placed;
};

} // namespace dprof

#endif
