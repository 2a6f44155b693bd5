// Stage: plugin, "decide". What intrinsics of the x86 access: those that say in their arguments which bytes.
#ifndef DPROF_PASS_TARGET_ACCESS_H
#define DPROF_PASS_TARGET_ACCESS_H

#include "access.h"
#include "llvm/IR/IntrinsicInst.h"

namespace dprof {

// None: not one of them.
std::optional<llvm::SmallVector<AccessSlot, 2>> targetAccesses(const llvm::IntrinsicInst &I,
                                                               const llvm::DataLayout &Layout);

} // namespace dprof

#endif
