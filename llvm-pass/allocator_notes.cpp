// Stage: plugin, "describe". Adds a call of the runtime beside each call of the program's own allocators and locks. The
// added call stays when the optimiser has inlined them.
#include "allocator_notes.h"

#include "description.h"
#include "names.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace dprof {

namespace {

AllocationCall asSite(const Allocator &What) {
  AllocationCall Site;
  Site.OutArgument = What.Out;
  Site.SizeArgument = What.Size;
  Site.CountArgument = What.Count;
  return Site;
}

// The first instruction after the call has returned.
Instruction *afterReturn(CallBase &Call) {
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    if (!Invoke->getNormalDest()->getSinglePredecessor()) SplitEdge(Invoke->getParent(), Invoke->getNormalDest());
    return &*Invoke->getNormalDest()->getFirstInsertionPt();
  }
  return Call.isTerminator() || Call.isMustTailCall() ? nullptr : Call.getNextNode();
}

class NoteBuilder {
public:
  NoteBuilder(Instruction *Before, CallBase &Call) : Build(Before), Call(Call) {
    Build.SetCurrentDebugLocation(Call.getDebugLoc());
  }

  // 1 if the call's result says that it succeeded, or nothing says otherwise.
  Value *succeeded(Allocator::Success Succeeds) {
    if (Succeeds == Allocator::NotNull) return Build.getInt32(1);
    Value *IsZero = Build.CreateIsNull(&Call);
    return Build.CreateZExt(Succeeds == Allocator::Zero ? IsZero : Build.CreateNot(IsZero), Build.getInt32Ty());
  }

  Value *argument(int Number, Value *Otherwise) { return Number < 0 ? Otherwise : Call.getArgOperand(Number); }
  Value *wide(int Number, uint64_t Otherwise) {
    return Number < 0 ? Build.getInt64(Otherwise)
                      : Build.CreateZExtOrTrunc(Call.getArgOperand(Number), Build.getInt64Ty());
  }
  Value *null() { return ConstantPointerNull::get(Build.getPtrTy()); }

  // It reads and writes memory as far as the optimiser knows: no access moves over it.
  CallInst *note(StringRef Name, Type *Result, ArrayRef<Value *> Arguments) {
    SmallVector<Type *, 5> Types;
    for (Value *Argument : Arguments) Types.push_back(Argument->getType());
    LLVMContext &C = Build.getContext();
    auto Attributes = AttributeList::get(C, AttributeList::FunctionIndex,
                                         {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoCallback});
    Module &M = *Call.getModule();
    return Build.CreateCall(M.getOrInsertFunction(Name, FunctionType::get(Result, Types, false), Attributes),
                            Arguments);
  }

  IRBuilder<> Build;

private:
  CallBase &Call;
};

} // namespace

DIType *AllocatorNotes::typeOf(CallBase &Call, const Allocator &What, Describer &Describe) const {
  if (!What.Type.empty()) return Types.named(What.Type, Call.getContext());
  return declaredType(Call, asSite(What), Types, Describe.places(), What.Bytes);
}

void AllocatorNotes::look(CallBase &Call, Describer &Describe) {
  if (const Allocator *What = Known.find(Call)) {
    bool Gives = What->What == Allocator::Allocate || What->What == Allocator::Reallocate;
    Notes.push_back({&Call, What, Gives ? typeOf(Call, *What, Describe) : nullptr});
  }
}

void AllocatorNotes::insertOne(const Found &Note) {
  const Allocator &What = *Note.What;
  CallBase &Call = *Note.Call;
  if (What.What == Allocator::Free || What.What == Allocator::FreePool) {
    NoteBuilder At(&Call, Call);
    bool IsPool = What.What == Allocator::FreePool;
    At.note(IsPool ? names::NoteFreePool : names::NoteFree, At.Build.getVoidTy(),
            {Call.getArgOperand(IsPool ? What.Pool : What.Pointer)});
    return;
  }
  if (What.What == Allocator::Release) {
    NoteBuilder At(&Call, Call);
    At.note(names::NoteRelease, At.Build.getVoidTy(), {Call.getArgOperand(What.Pointer), At.Build.getInt32(What.Lock)});
    return;
  }
  if (What.What == Allocator::Acquire) {
    Instruction *Where = afterReturn(Call);
    if (!Where) return; // it returns for its caller
    NoteBuilder At(Where, Call);
    At.note(names::NoteAcquire, At.Build.getVoidTy(),
            {Call.getArgOperand(What.Pointer), At.Build.getInt32(What.Lock), At.succeeded(What.Succeeds)});
    return;
  }
  uint64_t Bytes = What.Size >= 0 ? 0 : What.Bytes ? What.Bytes : Types.sizeBytes(Note.Type);
  Instruction *Where = afterReturn(Call);
  if (!Where || (What.Size < 0 && !Bytes)) return; // nobody says how much
  NoteBuilder At(Where, Call);
  Value *Size = At.wide(What.Size, Bytes), *Count = At.wide(What.Count, 1), *Pool = At.argument(What.Pool, At.null());
  auto *Pointer = At.Build.getPtrTy();
  CallInst *Made;
  if (What.Out >= 0) {
    Value *Succeeded = At.succeeded(What.Succeeds);
    Value *Old = What.What == Allocator::Reallocate ? Call.getArgOperand(What.Pointer) : At.null();
    Made = At.note(names::NoteOut, Pointer, {Call.getArgOperand(What.Out), Size, Count, Pool, Succeeded, Old});
  } else if (What.What == Allocator::Reallocate) {
    Made = At.note(names::NoteReallocate, Pointer, {&Call, Size, Count, Pool, Call.getArgOperand(What.Pointer)});
  } else {
    Made = At.note(names::NoteAllocate, Pointer, {&Call, Size, Count, Pool});
  }
  if (Note.Type) attachDescription(*Made, {Description{Note.Type, 0, "", nullptr, Note.Type}});
}

void AllocatorNotes::insert() {
  for (const Found &Note : Notes) insertOne(Note);
  Notes.clear();
}

} // namespace dprof
