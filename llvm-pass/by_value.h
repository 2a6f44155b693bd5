// Stage: plugin, "decide". Structs that are passed by value in memory: the copy that a call makes has no instruction of
// its own. Only the caller knows where it comes from and only the callee where it goes, so each side has its half: a
// load before the call, a store where the callee is entered.
#ifndef DPROF_PASS_BY_VALUE_H
#define DPROF_PASS_BY_VALUE_H

#include "access.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace dprof {

void addArgumentLoads(const llvm::CallBase &Call, const llvm::DataLayout &Layout, Decision &Result);
llvm::SmallVector<AccessSlot, 2> argumentStores(llvm::Function &F, const llvm::DataLayout &Layout);

} // namespace dprof

#endif
