// Stage: plugin. What LLVM 22 spells anew (version.h).
#ifndef DPROF_VERSION_22_H
#define DPROF_VERSION_22_H

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace dprof {

using IndexScales = llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4>;

constexpr unsigned MaskBehindPointer = 1;

inline bool isCPlusPlus(const llvm::DICompileUnit &Unit) {
  const llvm::DISourceLanguageName Name = Unit.getSourceLanguage();
  return Name.hasVersionedName() ? Name.getName() == llvm::dwarf::DW_LNAME_C_plus_plus
                                 : llvm::dwarf::isCPlusPlus(llvm::dwarf::SourceLanguage(Name.getUnversionedName()));
}

inline llvm::SCEVExpander expanderOf(llvm::ScalarEvolution &Evolutions, const llvm::DataLayout &) {
  return llvm::SCEVExpander(Evolutions, "");
}

inline llvm::Instruction *nextInstruction(llvm::Instruction &I) { return I.getNextNode(); }

inline llvm::Function *intrinsicOf(llvm::Module &M, llvm::Intrinsic::ID Id) {
  return llvm::Intrinsic::getOrInsertDeclaration(&M, Id);
}

inline bool mayBeCaptured(llvm::Value *Pointer) { return llvm::PointerMayBeCaptured(Pointer, /*ReturnCaptures=*/true); }

inline llvm::DICompositeType *recordNamed(llvm::LLVMContext &C, unsigned Tag, llvm::StringRef Name) {
  return llvm::DICompositeType::get(C, Tag, Name, nullptr, 0, nullptr, nullptr, uint64_t{0}, 0, uint64_t{0},
                                    llvm::DINode::FlagZero, nullptr, 0, std::nullopt, nullptr);
}

} // namespace dprof

#endif
