// Stage: plugin. What LLVM 19 and 22 spell differently, in one spelling.
#ifndef DPROF_VERSION_H
#define DPROF_VERSION_H

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

static_assert(LLVM_VERSION_MAJOR == 19 || LLVM_VERSION_MAJOR == 22, "the plugin is written for LLVM 19 and 22");

namespace dprof {

#if LLVM_VERSION_MAJOR >= 22

using IndexScales = llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4>; // of an address

inline bool isCPlusPlus(const llvm::DICompileUnit &Unit) {
  const llvm::DISourceLanguageName Name = Unit.getSourceLanguage();
  return Name.hasVersionedName() ? Name.getName() == llvm::dwarf::DW_LNAME_C_plus_plus
                                 : llvm::dwarf::isCPlusPlus(llvm::dwarf::SourceLanguage(Name.getUnversionedName()));
}

inline llvm::SCEVExpander expanderOf(llvm::ScalarEvolution &Evolutions, const llvm::DataLayout &) {
  return llvm::SCEVExpander(Evolutions, "");
}

inline void useRecordsOf(llvm::BasicBlock &, const llvm::BasicBlock &) {} // all blocks have them

inline llvm::Instruction *nextInstruction(llvm::Instruction &I) { return I.getNextNode(); }

inline llvm::Function *intrinsicOf(llvm::Module &M, llvm::Intrinsic::ID Id) {
  return llvm::Intrinsic::getOrInsertDeclaration(&M, Id);
}

/// Somebody else may have the address.
inline bool mayBeCaptured(llvm::Value *Pointer) { return llvm::PointerMayBeCaptured(Pointer, /*ReturnCaptures=*/true); }

constexpr unsigned MaskBehindPointer = 1; // operands from the pointer to the mask of a masked load or store

/// The records that say which variables have this value.
inline void findValueRecords(llvm::Value *Of, llvm::SmallVectorImpl<llvm::DbgVariableRecord *> &Records) {
  llvm::findDbgValues(Of, Records);
}

inline llvm::DICompositeType *recordNamed(llvm::LLVMContext &C, unsigned Tag, llvm::StringRef Name) {
  return llvm::DICompositeType::get(C, Tag, Name, nullptr, 0, nullptr, nullptr, uint64_t{0}, 0, uint64_t{0},
                                    llvm::DINode::FlagZero, nullptr, 0, std::nullopt, nullptr);
}

#else

using IndexScales = llvm::MapVector<llvm::Value *, llvm::APInt>;

inline bool isCPlusPlus(const llvm::DICompileUnit &Unit) {
  return llvm::dwarf::isCPlusPlus(llvm::dwarf::SourceLanguage(Unit.getSourceLanguage()));
}

inline llvm::SCEVExpander expanderOf(llvm::ScalarEvolution &Evolutions, const llvm::DataLayout &Layout) {
  return llvm::SCEVExpander(Evolutions, Layout, "");
}

inline void useRecordsOf(llvm::BasicBlock &New, const llvm::BasicBlock &Old) {
  New.IsNewDbgInfoFormat = Old.IsNewDbgInfoFormat;
}

inline llvm::Instruction *nextInstruction(llvm::Instruction &I) { return I.getNextNonDebugInstruction(); }

inline llvm::Function *intrinsicOf(llvm::Module &M, llvm::Intrinsic::ID Id) {
  return llvm::Intrinsic::getDeclaration(&M, Id);
}

inline bool mayBeCaptured(llvm::Value *Pointer) {
  return llvm::PointerMayBeCaptured(Pointer, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
}

constexpr unsigned MaskBehindPointer = 2; // their alignment is between

inline void findValueRecords(llvm::Value *Of, llvm::SmallVectorImpl<llvm::DbgVariableRecord *> &Records) {
  llvm::SmallVector<llvm::DbgValueInst *, 2> Intrinsics; // none: modules are converted to records when they are read
  llvm::findDbgValues(Intrinsics, Of, &Records);
}

inline llvm::DICompositeType *recordNamed(llvm::LLVMContext &C, unsigned Tag, llvm::StringRef Name) {
  return llvm::DICompositeType::get(C, Tag, Name, nullptr, 0, nullptr, nullptr, /*SizeInBits=*/0, 0, 0,
                                    llvm::DINode::FlagZero, nullptr, 0, nullptr);
}

#endif

} // namespace dprof

#endif
