// Stage: plugin, "decide". The memory operands of inline assembly -> loads and stores.
#include "asm_access.h"

#include "llvm/IR/DerivedTypes.h"

using namespace llvm;

namespace dprof {

namespace {

AccessSlot operandSlot(dprof_slot_kind Kind, Value *Pointer, Type *Operand, const DataLayout &Layout) {
  AccessSlot Slot;
  Slot.Kind = Kind;
  Slot.Pointer = Pointer;
  Slot.SizeBytes = Layout.getTypeStoreSize(Operand);
  Slot.IsWhole = !Operand->isSingleValueType();
  Slot.Accessed = Slot.IsWhole ? nullptr : Operand;
  return Slot;
}

// `*(char (*)[]) p` has no size, and a block of 4 GiB does not fit a slot.
bool hasPlainSize(Type *Operand, const DataLayout &Layout) {
  if (!Operand || !Operand->isSized()) return false;
  TypeSize Size = Layout.getTypeStoreSize(Operand);
  return !Size.isScalable() && Size.getFixedValue() && Size.getFixedValue() < DPROF_SIZE_DYNAMIC;
}

} // namespace

void addAsmOperands(const CallBase &Call, const InlineAsm &Asm, const DataLayout &Layout, Decision &Result) {
  // `asm("" : "+m"(x))` only tells the compiler something.
  if (StringRef(Asm.getAsmString()).trim().empty()) return;
  SmallVector<AccessSlot, 2> Stores;
  unsigned Number = 0;
  for (const InlineAsm::ConstraintInfo &Constraint : Asm.ParseConstraints()) {
    if (!Constraint.hasArg()) continue;
    unsigned Argument = Number++;
    if (!Constraint.isIndirect) continue;
    Value *Pointer = Call.getArgOperand(Argument);
    Type *Operand = Call.getParamElementType(Argument);
    if (!hasPlainSize(Operand, Layout)) {
      Result.Refusal = "inline assembly operand without a size";
      continue;
    }
    if (Pointer->getType()->getPointerAddressSpace() != 0) {
      Result.Refusal = "other address space";
      continue;
    }
    if (Constraint.Type == InlineAsm::isOutput)
      Stores.push_back(operandSlot(DPROF_SLOT_STORE, Pointer, Operand, Layout));
    else
      Result.Slots.push_back(operandSlot(DPROF_SLOT_LOAD, Pointer, Operand, Layout));
  }
  Result.Slots.append(Stores.begin(), Stores.end());
}

} // namespace dprof
