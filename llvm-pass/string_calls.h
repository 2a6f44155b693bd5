// Stage: plugin, "decide". Calls of libc's string functions -> the memory that they access. Its size depends on the
// contents, so the runtime measures it just before the call.
#ifndef DPROF_PASS_STRING_CALLS_H
#define DPROF_PASS_STRING_CALLS_H

#include "access.h"
#include "llvm/IR/InstrTypes.h"

namespace dprof {

// Recognises them by name and type. They neither record nor unwind, but for those that duplicate a string; those that
// end in _chk may not return.
bool isStringFunction(const llvm::Function &F);
// memcpy and the like, by its name.
bool isBlockFunction(const llvm::Function &F);
llvm::SmallVector<AccessSlot, 2> stringAccesses(const llvm::CallBase &Call, const llvm::Function &Callee);

// strdup and its kin. What they store has an address only when they have returned: while a module is instrumented, a
// mark behind the call stands for it.
bool duplicates(const llvm::CallBase &Call);
void markDuplicates(llvm::Module &M);
llvm::SmallVector<AccessSlot, 2> duplicateAccesses(const llvm::CallBase &Mark);
void removeDuplicateMarks(llvm::Module &M);

} // namespace dprof

#endif
