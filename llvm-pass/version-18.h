// Stage: plugin. What LLVM 18 has and LLVM 16 has not (version.h).
#ifndef DPROF_VERSION_18_H
#define DPROF_VERSION_18_H

#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SpecialCaseList.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace dprof {

inline bool isDisjointOr(const llvm::BinaryOperator &Operation, const llvm::DataLayout &) {
  auto *Or = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&Operation);
  return Or && Or->isDisjoint();
}

inline bool extendsNonNegative(const llvm::CastInst &Extension, const llvm::DataLayout &) {
  return Extension.hasNonNeg();
}

inline uint64_t strideOf(const llvm::gep_type_iterator &Index, const llvm::DataLayout &Layout) {
  return Index.getSequentialElementStride(Layout);
}

inline llvm::BasicBlock *splitBlockAt(llvm::BasicBlock *Block, llvm::BasicBlock::iterator At,
                                      llvm::DominatorTree *Dominators, llvm::LoopInfo *Loops) {
  return llvm::SplitBlock(Block, At, Dominators, Loops);
}

inline llvm::MDNode *probeDescriptor(llvm::LLVMContext &C, uint64_t Number, llvm::StringRef Name) {
  return llvm::MDBuilder(C).createPseudoProbeDesc(Number, 0, Name);
}

inline bool hasTypedPointers(const llvm::Module &) { return false; }

inline std::unique_ptr<llvm::SpecialCaseList> readLists(const std::vector<std::string> &Paths, std::string &Error) {
  return llvm::SpecialCaseList::create(Paths, *llvm::vfs::getRealFileSystem(), Error);
}

constexpr auto TypeCheckedLoadRelative = llvm::Intrinsic::type_checked_load_relative;

} // namespace dprof

#endif
