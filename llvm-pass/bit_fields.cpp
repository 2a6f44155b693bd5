// Stage: plugin. Which bit of its storage a bit-field access is about, read from the shifts and masks that clang emits.
#include "bit_fields.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace dprof {

namespace {

std::optional<uint64_t> firstBitLoaded(const LoadInst &Load) {
  const APInt *Left, *Right, *Mask;
  unsigned Width = Load.getType()->getIntegerBitWidth();
  for (const User *U : Load.users()) {
    if (match(U, m_LShr(m_Specific(&Load), m_APInt(Right))) || match(U, m_AShr(m_Specific(&Load), m_APInt(Right))))
      return Right->getZExtValue();
    if (match(U, m_Shl(m_Specific(&Load), m_APInt(Left)))) {
      for (const User *Shifted : U->users())
        if (match(Shifted, m_AShr(m_Specific(U), m_APInt(Right))) && Right->uge(*Left) && Right->ult(Width))
          return (*Right - *Left).getZExtValue();
      return std::nullopt;
    }
    if (match(U, m_And(m_Specific(&Load), m_APInt(Mask)))) {
      // A store's read-modify-write keeps all bits but the field's; an extraction keeps the field's.
      bool IsUpdate = any_of(U->users(), [](const User *Or) { return match(Or, m_Or(m_Value(), m_Value())); });
      return IsUpdate ? (~*Mask).countTrailingZeros() : Mask->countTrailingZeros();
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> firstBitStored(const Value *Stored) {
  const APInt *Mask;
  Value *Kept;
  if (match(Stored, m_c_Or(m_And(m_Value(Kept), m_APInt(Mask)), m_Value())) && isa<LoadInst>(Kept))
    return (~*Mask).countTrailingZeros();
  return std::nullopt;
}

} // namespace

std::optional<uint64_t> firstBitUsed(const Instruction &Access) {
  if (auto *Load = dyn_cast<LoadInst>(&Access); Load && Load->getType()->isIntegerTy()) return firstBitLoaded(*Load);
  if (auto *Store = dyn_cast<StoreInst>(&Access)) return firstBitStored(Store->getValueOperand());
  return std::nullopt;
}

} // namespace dprof
