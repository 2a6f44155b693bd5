// Stage: plugin. Gives a function two bodies: the one that records, and a plain copy for programs that are not
// recorded.
#ifndef DPROF_PASS_DISPATCH_H
#define DPROF_PASS_DISPATCH_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace dprof {

// Why the body cannot be copied; empty if it can.
llvm::StringRef reasonAgainstCopy(const llvm::Function &F);

// On entry the byte `Active` chooses between the blocks that were there, which are left to be instrumented, and their
// copy. Static stack variables are shared. Returns the block that decides; the instrumented body begins in its first
// successor, the copy in its second. `Copies`: from each block and instruction to its copy.
llvm::BasicBlock *addDormantBody(llvm::Function &F, llvm::GlobalVariable *Active, llvm::ValueToValueMapTy &Copies);

} // namespace dprof

#endif
