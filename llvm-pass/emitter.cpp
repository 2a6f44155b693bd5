// Stage: plugin, "emit". The instructions that write paths into the thread's buffer.
#include "emitter.h"

#include "lanes.h"
#include "names.h"
#include "values.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace dprof {

FunctionCallee RuntimeSymbols::measure() const {
  LLVMContext &C = M.getContext();
  auto *Pointer = PointerType::getUnqual(C);
  auto *Word = Type::getInt64Ty(C);
  auto Attributes = AttributeList::get(C, AttributeList::FunctionIndex, {Attribute::NoUnwind});
  return M.getOrInsertFunction(
      names::Measure, FunctionType::get(Word, {Type::getInt32Ty(C), Pointer, Pointer, Word, Word}, false), Attributes);
}

RuntimeSymbols::RuntimeSymbols(Module &M) : M(M) {
  LLVMContext &C = M.getContext();
  auto *Pointer = PointerType::getUnqual(C);
  auto *Word = Type::getInt64Ty(C);
  Thread = M.getGlobalVariable(names::Thread);
  if (!Thread)
    Thread =
        new GlobalVariable(M, StructType::get(Pointer, Pointer), /*isConstant=*/false, GlobalValue::ExternalLinkage,
                           nullptr, names::Thread, nullptr, GlobalValue::InitialExecTLSModel);
  // Bound eagerly: the dynamic linker's lazy resolver does not keep the registers that preserve_most promises.
  auto Attributes = AttributeList::get(C, AttributeList::FunctionIndex, {Attribute::NoUnwind, Attribute::NonLazyBind});
  auto declare = [&](StringRef Name, FunctionType *Type) {
    FunctionCallee Callee = M.getOrInsertFunction(Name, Type, Attributes);
    if (auto *F = dyn_cast<Function>(Callee.getCallee())) F->setCallingConv(CallingConv::PreserveMost);
    return Callee;
  };
  Refill = declare(names::Refill, FunctionType::get(Pointer, {Word}, false));
  Stamp = declare(names::Stamp, FunctionType::get(Word, false));
}

namespace {

DebugLoc position(const Instruction &I) {
  if (I.getDebugLoc()) return I.getDebugLoc();
  DISubprogram *Subprogram = I.getFunction()->getSubprogram();
  return Subprogram ? DebugLoc(DILocation::get(I.getContext(), 0, 0, Subprogram)) : DebugLoc();
}

} // namespace

BuilderBefore::BuilderBefore(Instruction *I) : IRBuilder<>(I) { SetCurrentDebugLocation(position(*I)); }

BuilderAfter::BuilderAfter(Instruction *I) : IRBuilder<>(I->getParent(), std::next(I->getIterator())) {
  SetCurrentDebugLocation(position(*I));
}

ThreadCursor::ThreadCursor(const RuntimeSymbols &Runtime, Instruction *BodyBegin) {
  IRBuilder<> Front(&*BodyBegin->getFunction()->getEntryBlock().begin());
  Own = Front.CreateAlloca(Front.getPtrTy());
  BuilderBefore Build(BodyBegin);
  Shared = Build.CreateThreadLocalAddress(Runtime.Thread);
  refresh(Build);
}

Value *ThreadCursor::load(IRBuilder<> &Build) { return Build.CreateLoad(Build.getPtrTy(), Own); }

Value *ThreadCursor::loadLimit(IRBuilder<> &Build) {
  return Build.CreateLoad(Build.getPtrTy(), Build.CreateConstInBoundsGEP1_64(Build.getPtrTy(), Shared, 1));
}

Value *ThreadCursor::loadShared(IRBuilder<> &Build) { return Build.CreateLoad(Build.getPtrTy(), Shared); }

void ThreadCursor::spend(IRBuilder<> &Build, Value *Bytes) {
  // The limit is low where the runtime is part of a static executable.
  Value *Limit = Build.CreatePtrToInt(loadLimit(Build), Build.getInt64Ty());
  Value *Sooner =
      Build.CreateIntToPtr(Build.CreateBinaryIntrinsic(Intrinsic::usub_sat, Limit, Bytes), Build.getPtrTy());
  Build.CreateAlignedStore(Sooner, Build.CreateConstInBoundsGEP1_64(Build.getPtrTy(), Shared, 1), Align(8));
}

void ThreadCursor::store(IRBuilder<> &Build, Value *Cursor) {
  Build.CreateAlignedStore(Cursor, Shared, Align(8));
  Build.CreateStore(Cursor, Own);
}

void ThreadCursor::refresh(IRBuilder<> &Build) { Build.CreateStore(Build.CreateLoad(Build.getPtrTy(), Shared), Own); }

void ThreadCursor::refreshAfter(CallBase &Call) {
  if (Call.isMustTailCall()) return;
  if (!Call.isTerminator()) {
    BuilderAfter Build(&Call);
    refresh(Build);
    return;
  }
  for (BasicBlock *Next : successors(Call.getParent())) {
    auto Begin = Next->getFirstInsertionPt();
    if (Begin == Next->end()) continue;
    BuilderBefore Build(&*Begin);
    refresh(Build);
  }
}

void ThreadCursor::promote(Function &F) {
  DominatorTree Dominators(F);
  PromoteMemToReg({Own}, Dominators);
}

PathPlace PathEmitter::reserve(Instruction *First, unsigned Ask, unsigned Level, Value *Spent) {
  BuilderBefore Build(First);
  DebugLoc Where = Build.getCurrentDebugLocation();
  auto *Pointer = Build.getPtrTy();
  Value *Here = Cursor.load(Build);
  PathPlace Begin{Here, Here, int(Level) - 1};
  if (!Ask) return Begin;
  Value *Limit = Cursor.loadLimit(Build);
  Value *End = Build.CreateConstGEP1_64(Build.getInt64Ty(), Here, Ask);
  if (Spent) End = Build.CreateGEP(Build.getInt8Ty(), End, Spent);
  Value *IsFull = Build.CreateICmpUGT(End, Limit);
  BasicBlock *Before = First->getParent();
  Instruction *Full =
      SplitBlockAndInsertIfThen(IsFull, First, false, MDBuilder(Build.getContext()).createBranchWeights(1, 100'000));
  Build.SetInsertPoint(Full);
  Build.SetCurrentDebugLocation(Where);
  CallInst *Refilled = Build.CreateCall(Runtime.Refill, {Build.getInt64(Ask)});
  Refilled->setCallingConv(CallingConv::PreserveMost);
  BasicBlock *After = First->getParent();
  Build.SetInsertPoint(After, After->begin());
  Build.SetCurrentDebugLocation(Where);
  PHINode *Merged = Build.CreatePHI(Pointer, 2);
  Merged->addIncoming(Here, Before);
  Merged->addIncoming(Refilled, Full->getParent());
  return {Merged, Merged, int(Level) - 1};
}

Value *PathEmitter::at(IRBuilder<> &Build, const PathPlace &Place, unsigned Level) {
  return Build.CreateConstInBoundsGEP1_64(Build.getInt64Ty(), Place.Word, int(Level) - Place.Level);
}

void PathEmitter::seek(const PathPlace &To, unsigned Level) {
  Place = To;
  Next = Level;
}

void PathEmitter::word(IRBuilder<> &Build, Value *Value) {
  Build.CreateAlignedStore(Value, at(Build, Place, Next++), Align(8));
}

void PathEmitter::slot(IRBuilder<> &Build, const AccessSlot &Slot, bool HasAddress) {
  bool IsGathered = Slot.Kind == DPROF_SLOT_GATHER || Slot.Kind == DPROF_SLOT_SCATTER;
  if (IsGathered) {
    Build.CreateAlignedStore(laneAddresses(Build, Slot), at(Build, Place, Next), Align(8));
    Next += Slot.Lanes;
    return;
  }
  if (Slot.Logged) return word(Build, valueWord(Build, Slot.Logged));
  if (HasAddress)
    word(Build, Slot.MeasuredOffset
                    ? Build.CreateGEP(Build.getInt8Ty(), Slot.Pointer, measured(Build, *Slot.MeasuredOffset))
                    : Slot.Pointer);
  bool IsMasked = Slot.Kind == DPROF_SLOT_MASKED_LOAD || Slot.Kind == DPROF_SLOT_MASKED_STORE;
  if (IsMasked) word(Build, maskWord(Build, Slot));
  bool HasLength = Slot.SizeBytes == DPROF_SIZE_DYNAMIC && Slot.Kind != DPROF_SLOT_COPY_LOAD;
  if (HasLength && Slot.MeasuredLength)
    word(Build, measured(Build, *Slot.MeasuredLength));
  else if (HasLength)
    word(Build, Build.CreateZExtOrTrunc(Slot.Length, Build.getInt64Ty()));
}

Value *PathEmitter::measured(IRBuilder<> &Build, const MeasuredBytes &Bytes) const {
  auto *Pointer = Build.getPtrTy();
  auto as = [&](Value *Given, Type *Wanted, Value *None) -> Value * {
    if (!Given) return None;
    return Given->getType() == Wanted ? Given : Build.CreateBitOrPointerCast(Given, Wanted);
  };
  auto address = [&](Value *Given) {
    bool IsCharacter = Given && Given->getType()->isIntegerTy();
    return IsCharacter ? Build.CreateIntToPtr(Given, Pointer) : as(Given, Pointer, Constant::getNullValue(Pointer));
  };
  auto number = [&](Value *Given, uint64_t None) { return as(Given, Build.getInt64Ty(), Build.getInt64(None)); };
  Value *Found = Build.CreateCall(Runtime.measure(), {Build.getInt32(Bytes.How), address(Bytes.A), address(Bytes.B),
                                                      number(Bytes.Limit, ~0ull), number(Bytes.Wanted, 0)});
  return Bytes.Plus ? Build.CreateAdd(Found, Build.getInt64(Bytes.Plus)) : Found;
}

void PathEmitter::stamp(IRBuilder<> &Build) {
  CallInst *Now = Build.CreateCall(Runtime.Stamp, {});
  Now->setCallingConv(CallingConv::PreserveMost);
  word(Build, Now);
}

void PathEmitter::publish(IRBuilder<> &Build, const PathPlace &Of, Value *Header, unsigned EndLevel) {
  // For the compiler only: the header becomes visible after every address.
  Build.CreateFence(AtomicOrdering::Release, SyncScope::SingleThread);
  Build.CreateAlignedStore(Header, Of.Header, Align(8));
  Cursor.store(Build, at(Build, Of, EndLevel));
}

} // namespace dprof
