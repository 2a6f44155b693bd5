// Stage: plugin, "decide". Intrinsics of aarch64 -> the memory that they access: loads and stores of several vectors
// (vld2q_u8). Exclusive accesses and scalable vectors are left out, which the statistics say.
#include "target_access.h"

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IntrinsicsAArch64.h"

using namespace llvm;

namespace dprof {

namespace {

struct Form {
  dprof_slot_kind Kind;
  unsigned Vectors;
  bool IsElement; // one element for each vector
};

std::optional<Form> formOf(Intrinsic::ID Id) {
  constexpr dprof_slot_kind Load = DPROF_SLOT_LOAD, Store = DPROF_SLOT_STORE;
  switch (Id) {
    case Intrinsic::aarch64_neon_ld1x2:
    case Intrinsic::aarch64_neon_ld2: return Form{Load, 2, false};
    case Intrinsic::aarch64_neon_ld1x3:
    case Intrinsic::aarch64_neon_ld3: return Form{Load, 3, false};
    case Intrinsic::aarch64_neon_ld1x4:
    case Intrinsic::aarch64_neon_ld4: return Form{Load, 4, false};
    case Intrinsic::aarch64_neon_ld2lane:
    case Intrinsic::aarch64_neon_ld2r: return Form{Load, 2, true};
    case Intrinsic::aarch64_neon_ld3lane:
    case Intrinsic::aarch64_neon_ld3r: return Form{Load, 3, true};
    case Intrinsic::aarch64_neon_ld4lane:
    case Intrinsic::aarch64_neon_ld4r: return Form{Load, 4, true};
    case Intrinsic::aarch64_neon_st1x2:
    case Intrinsic::aarch64_neon_st2: return Form{Store, 2, false};
    case Intrinsic::aarch64_neon_st1x3:
    case Intrinsic::aarch64_neon_st3: return Form{Store, 3, false};
    case Intrinsic::aarch64_neon_st1x4:
    case Intrinsic::aarch64_neon_st4: return Form{Store, 4, false};
    case Intrinsic::aarch64_neon_st2lane: return Form{Store, 2, true};
    case Intrinsic::aarch64_neon_st3lane: return Form{Store, 3, true};
    case Intrinsic::aarch64_neon_st4lane: return Form{Store, 4, true};
    default: return std::nullopt;
  }
}

Type *vectorOf(const IntrinsicInst &I, dprof_slot_kind Kind) {
  return Kind == DPROF_SLOT_LOAD ? I.getType()->getStructElementType(0) : I.getArgOperand(0)->getType();
}

} // namespace

std::optional<SmallVector<AccessSlot, 2>> aarch64Accesses(const IntrinsicInst &I, const DataLayout &Layout) {
  std::optional<Form> Found = formOf(I.getIntrinsicID());
  if (!Found) return std::nullopt;
  Type *Vector = vectorOf(I, Found->Kind), *Element = Vector->getScalarType();
  AccessSlot Slot;
  Slot.Kind = Found->Kind;
  Slot.Pointer = I.getArgOperand(I.arg_size() - 1);
  Slot.SizeBytes = Found->Vectors * Layout.getTypeStoreSize(Found->IsElement ? Element : Vector).getFixedValue();
  return SmallVector<AccessSlot, 2>{Slot};
}

} // namespace dprof
