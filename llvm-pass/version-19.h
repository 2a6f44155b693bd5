// Stage: plugin. What LLVM 22 spells anew, in the versions before (version.h).
#ifndef DPROF_VERSION_19_H
#define DPROF_VERSION_19_H

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace dprof {

using IndexScales = llvm::MapVector<llvm::Value *, llvm::APInt>;

constexpr unsigned MaskBehindPointer = 2; // their alignment is between

inline bool isCPlusPlus(const llvm::DICompileUnit &Unit) {
  return llvm::dwarf::isCPlusPlus(llvm::dwarf::SourceLanguage(Unit.getSourceLanguage()));
}

inline llvm::SCEVExpander expanderOf(llvm::ScalarEvolution &Evolutions, const llvm::DataLayout &Layout) {
  return llvm::SCEVExpander(Evolutions, Layout, "");
}

inline llvm::Instruction *nextInstruction(llvm::Instruction &I) { return I.getNextNonDebugInstruction(); }

inline llvm::Function *intrinsicOf(llvm::Module &M, llvm::Intrinsic::ID Id) {
  return llvm::Intrinsic::getDeclaration(&M, Id);
}

inline bool mayBeCaptured(llvm::Value *Pointer) {
  return llvm::PointerMayBeCaptured(Pointer, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
}

inline llvm::DICompositeType *recordNamed(llvm::LLVMContext &C, unsigned Tag, llvm::StringRef Name) {
  return llvm::DICompositeType::get(C, Tag, Name, nullptr, 0, nullptr, nullptr, /*SizeInBits=*/0, 0, 0,
                                    llvm::DINode::FlagZero, nullptr, 0, nullptr);
}

} // namespace dprof

#endif
