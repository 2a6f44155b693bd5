// Stage: plugin, "decide". Structs that are passed by value in memory -> the two halves of their copies.
#include "by_value.h"

using namespace llvm;

namespace dprof {

namespace {

AccessSlot wholeOf(dprof_slot_kind Kind, Value *Pointer, Type *Passed, const DataLayout &Layout) {
  AccessSlot Slot;
  Slot.Kind = Kind;
  Slot.Pointer = Pointer;
  Slot.SizeBytes = Layout.getTypeAllocSize(Passed);
  Slot.IsWhole = true;
  return Slot;
}

// A musttail call passes on the caller's own argument, in its place.
bool staysInPlace(const CallBase &Call, unsigned Number) {
  auto *Own = dyn_cast<Argument>(Call.getArgOperand(Number));
  return Call.isMustTailCall() && Own && Own->hasByValAttr() && Own->getArgNo() == Number;
}

} // namespace

void addArgumentLoads(const CallBase &Call, const DataLayout &Layout, Decision &Result) {
  for (unsigned Number = 0; Number < Call.arg_size(); ++Number) {
    if (!Call.isByValArgument(Number) || staysInPlace(Call, Number)) continue;
    AccessSlot Slot = wholeOf(DPROF_SLOT_LOAD, Call.getArgOperand(Number), Call.getParamByValType(Number), Layout);
    if (Slot.SizeBytes) Result.Slots.push_back(Slot);
  }
}

SmallVector<AccessSlot, 2> argumentStores(Function &F, const DataLayout &Layout) {
  SmallVector<AccessSlot, 2> Slots;
  for (Argument &Given : F.args()) {
    if (!Given.hasByValAttr()) continue;
    AccessSlot Slot = wholeOf(DPROF_SLOT_STORE, &Given, Given.getParamByValType(), Layout);
    Slot.IsArgument = true;
    if (Slot.SizeBytes) Slots.push_back(Slot);
  }
  return Slots;
}

} // namespace dprof
