// Stage: plugin, "decide". Values that accesses load and store, and arguments of functions -> slots of one word each.
// They are off by default.
#ifndef DPROF_PASS_VALUES_H
#define DPROF_PASS_VALUES_H

#include "segments.h"
#include "llvm/IR/IRBuilder.h"

namespace dprof {

bool wantsValues();    // -fdprof-values
bool wantsArguments(); // -fdprof-args

// A slot for each value, where unit_format.h wants it; described as its access is.
void addValues(FunctionPlan &Plan);

// The arguments of `F` that fit a word, and the first 8 bytes of larger ones; arguments passed in memory are left out.
llvm::SmallVector<AccessSlot, 4> argumentValues(llvm::Function &F);

// The parameter of which an argument is all or a part, and the part's place in it; null if unknown.
struct Parameter {
  llvm::DILocalVariable *Variable = nullptr;
  uint64_t Offset = 0;
};
Parameter parameterOf(const llvm::Argument &Given);

// The first 8 bytes that a value has in memory, zero-extended.
llvm::Value *valueWord(llvm::IRBuilder<> &Build, llvm::Value *Of);

} // namespace dprof

#endif
