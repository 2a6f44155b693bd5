// Stage: plugin, "describe". A call of the runtime that is added beside a call of the program.
#ifndef DPROF_PASS_ADDED_CALL_H
#define DPROF_PASS_ADDED_CALL_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"

namespace dprof {

// The first instruction after the call has returned; null if it returns for its caller.
llvm::Instruction *afterReturn(llvm::CallBase &Call);

// It reads and writes memory as far as the optimiser knows: no access moves over it.
llvm::CallInst *addCall(llvm::IRBuilder<> &Build, llvm::StringRef Name, llvm::Type *Result,
                        llvm::ArrayRef<llvm::Value *> Arguments);

} // namespace dprof

#endif
