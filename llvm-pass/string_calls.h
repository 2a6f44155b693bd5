// Stage: plugin, "decide". Calls of libc's string functions -> the memory that they access. Its size depends on the
// contents, so the runtime measures it just before the call.
#ifndef DPROF_PASS_STRING_CALLS_H
#define DPROF_PASS_STRING_CALLS_H

#include "access.h"
#include "llvm/IR/InstrTypes.h"

namespace dprof {

// Recognises them by name and type. They neither record nor unwind; those that end in _chk may not return.
bool isStringFunction(const llvm::Function &F);
bool isStringFunctionName(llvm::StringRef Name);
// memcpy and the like, by its name.
bool isBlockFunction(const llvm::Function &F);
llvm::SmallVector<AccessSlot, 2> stringAccesses(const llvm::CallBase &Call, const llvm::Function &Callee);

} // namespace dprof

#endif
