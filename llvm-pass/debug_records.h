// Stage: plugin. Where variables are, as LLVM 19 and newer say it: records between instructions (version.h).
#ifndef DPROF_PASS_DEBUG_RECORDS_H
#define DPROF_PASS_DEBUG_RECORDS_H

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace dprof {

using VariableRecord = llvm::DbgVariableRecord;
using AssignmentRecord = llvm::DbgVariableRecord;

inline bool declares(VariableRecord &Record) { return Record.isDbgDeclare(); }

inline auto declarationsOf(const llvm::Value *Memory) {
  return llvm::findDVRDeclares(const_cast<llvm::Value *>(Memory));
}

inline llvm::SmallVector<VariableRecord *, 2> valueRecordsOf(llvm::Value *Of) {
  llvm::SmallVector<VariableRecord *, 2> Records;
#if LLVM_VERSION_MAJOR >= 22
  llvm::findDbgValues(Of, Records);
#else
  llvm::SmallVector<llvm::DbgValueInst *, 2> Intrinsics; // none: modules are converted to records when they are read
  llvm::findDbgValues(Intrinsics, Of, &Records);
#endif
  return Records;
}

inline auto assignmentsTo(const llvm::AllocaInst *Stack) { return llvm::at::getDVRAssignmentMarkers(Stack); }

inline llvm::SmallVector<VariableRecord *, 8> recordsIn(const llvm::BasicBlock &Block) {
  llvm::SmallVector<VariableRecord *, 8> Records;
  for (const llvm::Instruction &I : Block)
    for (VariableRecord &Record : llvm::filterDbgVars(I.getDbgRecordRange())) Records.push_back(&Record);
  return Records;
}

inline void moveRecord(VariableRecord &Record, llvm::Instruction *Before) {
  Record.removeFromParent();
  Before->getParent()->insertDbgRecordBefore(&Record, Before->getIterator());
}

inline void forgetRecords(llvm::BasicBlock &Block) {
  for (llvm::Instruction &I : Block) I.dropDbgRecords();
}

inline void remapRecords(llvm::Instruction &I, llvm::ValueToValueMapTy &Copies, llvm::RemapFlags Flags) {
  llvm::RemapDbgRecordRange(I.getModule(), I.getDbgRecordRange(), Copies, Flags);
}

inline void useRecordsOf(llvm::BasicBlock &New, const llvm::BasicBlock &Old) {
#if LLVM_VERSION_MAJOR < 22 // whose blocks all have them
  New.IsNewDbgInfoFormat = Old.IsNewDbgInfoFormat;
#else
  (void)New, (void)Old;
#endif
}

} // namespace dprof

#endif
