// Stage: plugin. What LLVM 18 has, in LLVM 16 (version.h).
#ifndef DPROF_VERSION_16_H
#define DPROF_VERSION_16_H

#include "glob_lists.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace dprof {

// Operations have no flags for these two: they are proved again.
inline bool isDisjointOr(const llvm::BinaryOperator &Operation, const llvm::DataLayout &Layout) {
  return Operation.getOpcode() == llvm::Instruction::Or &&
         llvm::haveNoCommonBitsSet(Operation.getOperand(0), Operation.getOperand(1), Layout);
}

inline bool extendsNonNegative(const llvm::CastInst &Extension, const llvm::DataLayout &Layout) {
  return llvm::isKnownNonNegative(Extension.getOperand(0), Layout);
}

inline uint64_t strideOf(const llvm::gep_type_iterator &Index, const llvm::DataLayout &Layout) {
  return Layout.getTypeAllocSize(Index.getIndexedType());
}

inline llvm::BasicBlock *splitBlockAt(llvm::BasicBlock *Block, llvm::BasicBlock::iterator At,
                                      llvm::DominatorTree *Dominators, llvm::LoopInfo *Loops) {
  return llvm::SplitBlock(Block, &*At, Dominators, Loops);
}

// MDBuilder asks for a function of that name.
inline llvm::MDNode *probeDescriptor(llvm::LLVMContext &C, uint64_t Number, llvm::StringRef Name) {
  auto *Word = llvm::Type::getInt64Ty(C);
  auto number = [&](uint64_t Value) { return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(Word, Value)); };
  return llvm::MDNode::get(C, {number(Number), number(0), llvm::MDString::get(C, Name)});
}

// -no-opaque-pointers, which no later version knows.
inline bool hasTypedPointers(const llvm::Module &M) { return M.getContext().supportsTypedPointers(); }

constexpr auto TypeCheckedLoadRelative = llvm::Intrinsic::num_intrinsics; // none

} // namespace dprof

#endif
