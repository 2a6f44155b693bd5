// Stage: plugin. An IR pointer -> the place it points to, as the source sees it: type, offset and variable.
#ifndef DPROF_PASS_PLACE_H
#define DPROF_PASS_PLACE_H

#include "debug_types.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace dprof {

struct Place {
  llvm::DIType *Type = nullptr; // null: not known; else stripped, `Offset` counts from its start
  int64_t Offset = 0;
  llvm::DIVariable *Variable = nullptr;                  // the named variable that the memory belongs to
  llvm::SmallVector<llvm::DICompositeType *, 2> Through; // inner records that the address was computed through
};

// The variable that lives in memory at `Pointer`, as a whole; null if none does.
llvm::DIVariable *declaredVariable(llvm::Value *Pointer);

class PlaceFinder {
public:
  PlaceFinder(const DebugTypes &Types, const llvm::DataLayout &Layout) : Types(Types), Layout(Layout) {}

  const Place &find(llvm::Value *Pointer) { return find(Pointer, 0); }
  // Source type of the object to which a loaded, returned or named pointer value points.
  llvm::DIType *pointeeOf(llvm::Value *Pointer) { return baseOf(Pointer, 0).Type; }
  // The record of exactly that size that a constructor made in new memory. A pointer to a base class may hold it too.
  llvm::DIType *recordMade(llvm::Value *Memory, uint64_t Bytes);
  // Results hold only as long as the function does not change.
  void forget() { Found.clear(); }

private:
  const Place &find(llvm::Value *Pointer, unsigned Depth);
  Place compute(llvm::Value *Pointer, unsigned Depth);
  Place baseOf(llvm::Value *Pointer, unsigned Depth);
  Place step(const Place &From, llvm::GEPOperator &Address);
  Place firstIndex(Place From, llvm::GEPOperator &Address);
  bool isForeignStart(const Place &Start, llvm::Value *Source, llvm::Value *Pointer) const;
  Place declared(llvm::Value *Pointer);
  Place loaded(llvm::LoadInst &Load, unsigned Depth);
  bool inArrayOf(const Place &P, uint64_t ElementSize) const;
  bool withinBounds(const Place &P) const;

  const DebugTypes &Types;
  const llvm::DataLayout &Layout;
  llvm::DenseMap<llvm::Value *, Place> Found;
};

} // namespace dprof

#endif
