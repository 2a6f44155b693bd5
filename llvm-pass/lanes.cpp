// Stage: plugin, "emit". Which lanes of a masked access are active, and where those of a gathered one are.
#include "lanes.h"

using namespace llvm;

namespace dprof {

namespace {

Value *firstLanes(IRBuilder<> &Build, Value *Vector, unsigned Lanes) {
  if (cast<FixedVectorType>(Vector->getType())->getNumElements() == Lanes) return Vector;
  SmallVector<int, 16> Taken;
  for (unsigned Lane = 0; Lane < Lanes; ++Lane) Taken.push_back(Lane);
  return Build.CreateShuffleVector(Vector, Taken);
}

// <lanes x i1>
Value *activeLanes(IRBuilder<> &Build, const AccessSlot &Slot) {
  Value *Mask = Slot.Mask;
  if (auto *Bits = dyn_cast<IntegerType>(Mask->getType()))
    Mask = Build.CreateBitCast(Mask, FixedVectorType::get(Build.getInt1Ty(), Bits->getBitWidth()));
  Mask = firstLanes(Build, Mask, Slot.Lanes);
  if (Mask->getType()->getScalarType()->isIntegerTy(1)) return Mask;
  auto *Signed = VectorType::getInteger(cast<VectorType>(Mask->getType()));
  return Build.CreateICmpSLT(Build.CreateBitCast(Mask, Signed), Constant::getNullValue(Signed));
}

} // namespace

Value *maskWord(IRBuilder<> &Build, const AccessSlot &Slot) {
  Value *Active = activeLanes(Build, Slot);
  Value *Mask = Build.CreateZExt(Build.CreateBitCast(Active, Build.getIntNTy(Slot.Lanes)), Build.getInt64Ty());
  if (!Slot.MaskIsCount) return Mask;
  Value *Count = Build.CreateUnaryIntrinsic(Intrinsic::ctpop, Mask);
  Value *Above = Build.CreateShl(Build.getInt64(~0ull), Build.CreateAnd(Count, 63));
  Value *Leading = Build.CreateNot(Above);
  return Build.CreateSelect(Build.CreateICmpEQ(Count, Build.getInt64(64)), Build.getInt64(~0ull), Leading);
}

Value *laneAddresses(IRBuilder<> &Build, const AccessSlot &Slot) {
  auto *Words = FixedVectorType::get(Build.getInt64Ty(), Slot.Lanes);
  Value *Addresses = Build.CreatePtrToInt(Slot.Pointer, Slot.Index ? Build.getInt64Ty() : cast<Type>(Words));
  if (Slot.Index) {
    Value *Index = Build.CreateSExt(firstLanes(Build, Slot.Index, Slot.Lanes), Words);
    Value *Distance = Build.CreateMul(Index, ConstantInt::get(Words, Slot.Scale));
    Addresses = Build.CreateAdd(Build.CreateVectorSplat(Slot.Lanes, Addresses), Distance);
  }
  return Build.CreateSelect(activeLanes(Build, Slot), Addresses, Constant::getNullValue(Words));
}

} // namespace dprof
