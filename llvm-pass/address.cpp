// Stage: plugin. An IR pointer -> the parts from which it is computed, so that two pointers a constant apart are
// recognised.
#include "address.h"
#include "version.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace dprof {

namespace {

// Takes `Index` apart while it is another value plus a constant that neither overflows nor wraps when extended; an
// address that is poison is never accessed.
uint64_t takeConstant(Value *&Index, bool IsUnsigned, const DataLayout &Layout) {
  bool IsWide = Index->getType()->isIntegerTy(64);
  uint64_t Sum = 0;
  for (;;) {
    auto *Operation = dyn_cast<BinaryOperator>(Index);
    const APInt *Constant;
    if (!Operation || !match(Operation->getOperand(1), m_APInt(Constant))) return Sum;
    bool IsAdd = Operation->getOpcode() == Instruction::Add &&
                 (IsWide || (IsUnsigned ? Operation->hasNoUnsignedWrap() : Operation->hasNoSignedWrap()));
    if (!IsAdd && !isDisjointOr(*Operation, Layout)) return Sum;
    Sum += IsUnsigned ? Constant->getZExtValue() : Constant->getSExtValue();
    Index = Operation->getOperand(0);
  }
}

} // namespace

Address::Address(Value *Pointer, const DataLayout &Layout) : Base(Pointer) {
  while (auto *Step = dyn_cast<GEPOperator>(Base)) {
    IndexScales Indices;
    APInt Constant(64, 0);
    if (Step->getType()->isVectorTy() || !Step->collectOffset(Layout, 64, Indices, Constant)) break;
    Offset += Constant.getZExtValue();
    for (auto &[Index, Scale] : Indices) add(Index, Scale.getZExtValue(), Layout);
    Base = Step->getPointerOperand();
  }
  erase_if(Terms, [](const Term &T) { return T.Scale == 0; });
  sort(Terms, [](const Term &A, const Term &B) { return A.key() < B.key(); });
}

void Address::add(Value *Index, uint64_t Scale, const DataLayout &Layout) {
  bool IsUnsigned = false;
  if (Index->getType()->getIntegerBitWidth() <= 64) {
    Offset += takeConstant(Index, false, Layout) * Scale;
    // A value that is not negative is the same by either extension: as signed, it matches others.
    auto *Extension = dyn_cast<CastInst>(Index);
    if (Extension && isa<SExtInst, ZExtInst>(Extension) && Extension->getDestTy()->isIntegerTy(64)) {
      IsUnsigned = isa<ZExtInst>(Extension) && !extendsNonNegative(*Extension, Layout);
      Index = Extension->getOperand(0);
      Offset += takeConstant(Index, IsUnsigned, Layout) * Scale;
    }
  }
  auto *Known = find_if(Terms, [&](const Term &T) { return T.Index == Index && T.IsUnsigned == IsUnsigned; });
  if (Known != Terms.end())
    Known->Scale += Scale;
  else
    Terms.push_back({Index, IsUnsigned, Scale});
}

bool Address::operator<(const Address &Other) const {
  if (Base != Other.Base) return Base < Other.Base;
  return std::lexicographical_compare(Terms.begin(), Terms.end(), Other.Terms.begin(), Other.Terms.end(),
                                      [](const Term &A, const Term &B) { return A.key() < B.key(); });
}

} // namespace dprof
