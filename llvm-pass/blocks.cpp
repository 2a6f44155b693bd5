// Stage: plugin, "decide". -fdprof-blocks: which blocks have a record for their own sake.
#include "blocks.h"

#include "llvm/IR/Instructions.h"
#include <cstdlib>
#include <string_view>

using namespace llvm;

namespace dprof {

bool wantsBlocks() {
  const char *Wanted = std::getenv("DPROF_BLOCKS");
  return Wanted && std::string_view(Wanted) == "1";
}

bool isBlockOfItsOwn(const BasicBlock &Block) {
  if (Block.isEHPad() || Block.getFirstInsertionPt() == Block.end()) return false;
  const Instruction *First = &*Block.getFirstNonPHIOrDbg();
  auto *Jump = dyn_cast<BranchInst>(First);
  return !isa<UnreachableInst>(First) && !(Jump && Jump->isUnconditional());
}

} // namespace dprof
