// Stage: plugin, "decide". The accesses of intrinsics of one processor whose arguments say which bytes they access.
#ifndef DPROF_PASS_TARGET_ACCESS_H
#define DPROF_PASS_TARGET_ACCESS_H

#include "access.h"
#include "llvm/IR/IntrinsicInst.h"

namespace dprof {

// None: the call is no such intrinsic.
std::optional<llvm::SmallVector<AccessSlot, 2>> targetAccesses(const llvm::IntrinsicInst &I,
                                                               const llvm::DataLayout &Layout);
std::optional<llvm::SmallVector<AccessSlot, 2>> aarch64Accesses(const llvm::IntrinsicInst &I,
                                                                const llvm::DataLayout &Layout);

} // namespace dprof

#endif
