// Stage: plugin. The description of one access, and the `!dprof` metadata node that carries it through the optimiser:
// one node per access, with one piece per address (a copy has two: destination, source).
#ifndef DPROF_PASS_DESCRIPTION_H
#define DPROF_PASS_DESCRIPTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"
#include <string>

namespace dprof {

struct Description {
  llvm::DIType *Type = nullptr; // outermost record, else the scalar
  std::optional<uint64_t> Offset;
  std::string Path;
  llvm::DIVariable *Variable = nullptr;
  llvm::DIType *Leaf = nullptr; // type of the field itself
};

void attachDescription(llvm::Instruction &I, llvm::ArrayRef<Description> Pieces);
llvm::SmallVector<Description, 2> readDescription(const llvm::Instruction &I);
void removeDescriptions(llvm::Function &F);

} // namespace dprof

#endif
