// Stage: plugin, "decide". What accesses load and store, and what functions are given -> slots of one word each. Nobody
// asks for them by default.
#ifndef DPROF_PASS_VALUES_H
#define DPROF_PASS_VALUES_H

#include "segments.h"
#include "llvm/IR/IRBuilder.h"

namespace dprof {

bool wantsValues();    // -fdprof-values
bool wantsArguments(); // -fdprof-args

// A slot for each value, where unit_format.h wants it; described as its access is.
void addValues(FunctionPlan &Plan);

// Those of `F` that fit a word, and the first 8 bytes of larger ones; not what is passed in memory.
llvm::SmallVector<AccessSlot, 4> argumentValues(llvm::Function &F);

// The parameter that an argument is, or a part of, and where in it; null where nobody knows.
struct Parameter {
  llvm::DILocalVariable *Variable = nullptr;
  uint64_t Offset = 0;
};
Parameter parameterOf(const llvm::Argument &Given);

// The first 8 bytes that a value has in memory, zero-extended.
llvm::Value *valueWord(llvm::IRBuilder<> &Build, llvm::Value *Of);

} // namespace dprof

#endif
