// Stage: plugin. Where variables are, as LLVM before 19 says it: calls of intrinsics among the instructions
// (version.h).
#ifndef DPROF_PASS_DEBUG_INTRINSICS_H
#define DPROF_PASS_DEBUG_INTRINSICS_H

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace dprof {

using VariableRecord = llvm::DbgVariableIntrinsic;
using AssignmentRecord = llvm::DbgAssignIntrinsic;

inline bool declares(const VariableRecord &Record) { return llvm::isa<llvm::DbgDeclareInst>(Record); }

inline auto declarationsOf(const llvm::Value *Memory) {
  return llvm::FindDbgDeclareUses(const_cast<llvm::Value *>(Memory));
}

inline llvm::SmallVector<llvm::DbgValueInst *, 2> valueRecordsOf(llvm::Value *Of) {
  llvm::SmallVector<llvm::DbgValueInst *, 2> Records;
  llvm::findDbgValues(Records, Of);
  return Records;
}

inline auto assignmentsTo(const llvm::AllocaInst *Stack) { return llvm::at::getAssignmentMarkers(Stack); }

inline llvm::SmallVector<VariableRecord *, 8> recordsIn(const llvm::BasicBlock &Block) {
  llvm::SmallVector<VariableRecord *, 8> Records;
  for (const llvm::Instruction &I : Block)
    if (auto *Record = llvm::dyn_cast<VariableRecord>(&I)) Records.push_back(const_cast<VariableRecord *>(Record));
  return Records;
}

inline void moveRecord(VariableRecord &Record, llvm::Instruction *Before) { Record.moveBefore(Before); }

inline void forgetRecords(llvm::BasicBlock &Block) {
  for (llvm::Instruction &I : llvm::make_early_inc_range(Block))
    if (llvm::isa<llvm::DbgInfoIntrinsic>(I)) I.eraseFromParent();
}

inline void remapRecords(llvm::Instruction &, llvm::ValueToValueMapTy &, llvm::RemapFlags) {}

inline void useRecordsOf(llvm::BasicBlock &, const llvm::BasicBlock &) {}

} // namespace dprof

#endif
