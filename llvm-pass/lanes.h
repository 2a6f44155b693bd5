// Stage: plugin, "emit". Which lanes of a masked access are active, and where those of a gathered one are.
#ifndef DPROF_PASS_LANES_H
#define DPROF_PASS_LANES_H

#include "access.h"
#include "llvm/IR/IRBuilder.h"

namespace dprof {

// An i64 whose bit i says that lane i is active.
llvm::Value *maskWord(llvm::IRBuilder<> &Build, const AccessSlot &Slot);
// A vector of i64: the lanes' addresses, 0 for those that are not active.
llvm::Value *laneAddresses(llvm::IRBuilder<> &Build, const AccessSlot &Slot);

} // namespace dprof

#endif
