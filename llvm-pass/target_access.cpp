// Stage: plugin, "decide". Intrinsics of the x86 -> the memory that they access.
#include "target_access.h"

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

namespace dprof {

namespace {

using Slots = SmallVector<AccessSlot, 2>;

AccessSlot plain(dprof_slot_kind Kind, Value *Pointer, uint32_t SizeBytes) {
  AccessSlot Slot;
  Slot.Kind = Kind;
  Slot.Pointer = Pointer;
  Slot.SizeBytes = SizeBytes;
  return Slot;
}

AccessSlot laned(dprof_slot_kind Kind, Value *Pointer, Value *Mask, unsigned Lanes, uint32_t LaneBytes) {
  AccessSlot Slot = plain(Kind, Pointer, LaneBytes);
  Slot.Lanes = Lanes;
  Slot.Mask = Mask;
  return Slot;
}

unsigned lanesOf(const Value *V) { return cast<FixedVectorType>(V->getType())->getNumElements(); }

class TargetDecider {
public:
  TargetDecider(const IntrinsicInst &I, const DataLayout &Layout) : I(I), Layout(Layout) {}

  std::optional<Slots> decide() const {
    if (auto Found = single()) return Slots{*Found};
    if (I.getIntrinsicID() == Intrinsic::x86_movdir64b)
      return Slots{plain(DPROF_SLOT_COPY_LOAD, I.getArgOperand(1), 64),
                   plain(DPROF_SLOT_COPY_STORE, I.getArgOperand(0), 64)};
    StringRef Name = Intrinsic::getBaseName(I.getIntrinsicID());
    if (!Name.consume_front("llvm.x86.")) return aarch64Accesses(I, Layout);
    // Families: one member per type and vector length.
    if (Name.starts_with("avx.maskload.") || Name.starts_with("avx2.maskload."))
      return Slots{masked(DPROF_SLOT_MASKED_LOAD, &I)};
    if (Name.starts_with("avx.maskstore.") || Name.starts_with("avx2.maskstore."))
      return Slots{masked(DPROF_SLOT_MASKED_STORE, I.getArgOperand(2))};
    if (Name.starts_with("avx2.gather.") || Name.starts_with("avx512.mask.gather"))
      return Slots{indexed(DPROF_SLOT_GATHER, I.getArgOperand(1), I.getArgOperand(2), I.getArgOperand(3), &I)};
    if (Name.starts_with("avx512.mask.scatter"))
      return Slots{
          indexed(DPROF_SLOT_SCATTER, I.getArgOperand(0), I.getArgOperand(2), I.getArgOperand(1), I.getArgOperand(3))};
    if (Name.starts_with("avx512.mask.pmov") && Name.contains(".mem.")) return narrowed(Name);
    return std::nullopt;
  }

private:
  uint32_t elementBytes(const Value *Vector) const {
    return Layout.getTypeStoreSize(Vector->getType()->getScalarType());
  }

  AccessSlot masked(dprof_slot_kind Kind, const Value *Data) const {
    AccessSlot Slot = laned(Kind, I.getArgOperand(0), I.getArgOperand(1), lanesOf(Data), elementBytes(Data));
    Slot.Accessed = Data->getType()->getScalarType();
    return Slot;
  }

  // Indices and data may differ in number: the lanes that both have take part.
  AccessSlot indexed(dprof_slot_kind Kind, Value *Base, Value *Index, Value *Mask, const Value *Data) const {
    AccessSlot Slot = laned(Kind, Base, Mask, std::min(lanesOf(Index), lanesOf(Data)), elementBytes(Data));
    Slot.Accessed = Data->getType()->getScalarType();
    Slot.Index = Index;
    Slot.Scale = cast<ConstantInt>(I.getArgOperand(4))->getZExtValue();
    return Slot;
  }

  // Stores that make each element smaller: "avx512.mask.pmov.qb.mem.256", from 64 bits to 8.
  Slots narrowed(StringRef Name) const {
    char To = Name.split(".mem.").first.back();
    uint32_t Bytes = To == 'b' ? 1 : To == 'w' ? 2 : 4;
    return {laned(DPROF_SLOT_MASKED_STORE, I.getArgOperand(0), I.getArgOperand(2), lanesOf(I.getArgOperand(1)), Bytes)};
  }

  std::optional<AccessSlot> single() const {
    auto access = [&](dprof_slot_kind Kind, uint32_t SizeBytes) { return plain(Kind, I.getArgOperand(0), SizeBytes); };
    switch (I.getIntrinsicID()) {
      case Intrinsic::x86_sse_ldmxcsr: return access(DPROF_SLOT_LOAD, 4);
      case Intrinsic::x86_sse3_ldu_dq:
      case Intrinsic::x86_vcvtneebf162ps128:
      case Intrinsic::x86_vcvtneeph2ps128:
      case Intrinsic::x86_vcvtneobf162ps128:
      case Intrinsic::x86_vcvtneoph2ps128: return access(DPROF_SLOT_LOAD, 16);
      case Intrinsic::x86_avx_ldu_dq_256:
      case Intrinsic::x86_vcvtneebf162ps256:
      case Intrinsic::x86_vcvtneeph2ps256:
      case Intrinsic::x86_vcvtneobf162ps256:
      case Intrinsic::x86_vcvtneoph2ps256: return access(DPROF_SLOT_LOAD, 32);
      case Intrinsic::x86_vbcstnebf162ps128:
      case Intrinsic::x86_vbcstnebf162ps256:
      case Intrinsic::x86_vbcstnesh2ps128:
      case Intrinsic::x86_vbcstnesh2ps256: return access(DPROF_SLOT_LOAD, 2);
      case Intrinsic::x86_sse_stmxcsr:
      case Intrinsic::x86_directstore32: return access(DPROF_SLOT_STORE, 4);
      case Intrinsic::x86_mmx_movnt_dq:
      case Intrinsic::x86_directstore64: return access(DPROF_SLOT_STORE, 8);
      case Intrinsic::x86_aadd32:
      case Intrinsic::x86_aand32:
      case Intrinsic::x86_aor32:
      case Intrinsic::x86_axor32: return access(DPROF_SLOT_ATOMIC_UPDATE, 4);
      case Intrinsic::x86_aadd64:
      case Intrinsic::x86_aand64:
      case Intrinsic::x86_aor64:
      case Intrinsic::x86_axor64: return access(DPROF_SLOT_ATOMIC_UPDATE, 8);
      case Intrinsic::x86_cmpccxadd32: return access(DPROF_SLOT_ATOMIC_RESULT, 4);
      case Intrinsic::x86_cmpccxadd64: return access(DPROF_SLOT_ATOMIC_RESULT, 8);
      case Intrinsic::x86_sse2_maskmov_dqu:
        return laned(DPROF_SLOT_MASKED_STORE, I.getArgOperand(2), I.getArgOperand(1), 16, 1);
      default: return std::nullopt;
    }
  }

  const IntrinsicInst &I;
  const DataLayout &Layout;
};

} // namespace

std::optional<Slots> targetAccesses(const IntrinsicInst &I, const DataLayout &Layout) {
  return TargetDecider(I, Layout).decide();
}

} // namespace dprof
