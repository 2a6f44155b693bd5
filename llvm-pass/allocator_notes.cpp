// Stage: plugin, "describe". Adds a call of the runtime beside each call of the program's own allocators and locks. The
// added call stays when the optimiser has inlined them.
#include "allocator_notes.h"

#include "added_call.h"
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

// What happened, as the caller has it or the function itself.
struct NotedCall {
  SmallVector<Value *, 8> Arguments;
  Value *Result; // null: there is none, or not yet
};

NotedCall asCalled(CallBase &Call) { return {SmallVector<Value *, 8>(Call.args()), &Call}; }

class NoteBuilder {
public:
  NoteBuilder(Instruction *Before, DebugLoc Where, NotedCall Call) : Build(Before), Call(std::move(Call)) {
    Build.SetCurrentDebugLocation(std::move(Where));
  }

  CallInst *giveOrTake(const Allocator &What, uint64_t Bytes);
  void release(const Allocator &What) {
    note(names::NoteRelease, Build.getVoidTy(), {Call.Arguments[What.Pointer], Build.getInt32(What.Lock)});
  }
  void acquire(const Allocator &What) {
    note(names::NoteAcquire, Build.getVoidTy(),
         {Call.Arguments[What.Pointer], Build.getInt32(What.Lock), succeeded(What.Succeeds)});
  }
  void free(const Allocator &What) {
    bool IsPool = What.What == Allocator::FreePool;
    note(IsPool ? names::NoteFreePool : names::NoteFree, Build.getVoidTy(),
         {Call.Arguments[IsPool ? What.Pool : What.Pointer]});
  }

  CallInst *note(StringRef Name, Type *Result, ArrayRef<Value *> Arguments) {
    return addCall(Build, Name, Result, Arguments);
  }

  IRBuilder<> Build;

private:
  // 1 if the call's result says that it succeeded, or nothing says otherwise.
  Value *succeeded(Allocator::Success Succeeds) {
    if (Succeeds == Allocator::NotNull) return Build.getInt32(1);
    Value *IsZero = Build.CreateIsNull(Call.Result);
    return Build.CreateZExt(Succeeds == Allocator::Zero ? IsZero : Build.CreateNot(IsZero), Build.getInt32Ty());
  }
  Value *argument(int Number) { return Number < 0 ? null() : Call.Arguments[Number]; }
  Value *wide(int Number, uint64_t Otherwise) {
    return Number < 0 ? Build.getInt64(Otherwise) : Build.CreateZExtOrTrunc(Call.Arguments[Number], Build.getInt64Ty());
  }
  Value *null() { return ConstantPointerNull::get(Build.getPtrTy()); }

  NotedCall Call;
};

// `Bytes`: where no argument says the size.
CallInst *NoteBuilder::giveOrTake(const Allocator &What, uint64_t Bytes) {
  Value *Size = wide(What.Size, Bytes), *Count = wide(What.Count, 1), *Pool = argument(What.Pool);
  Value *Old = What.What == Allocator::Reallocate ? Call.Arguments[What.Pointer] : null();
  Type *Pointer = Build.getPtrTy();
  if (What.Out >= 0)
    return note(names::NoteOut, Pointer, {Call.Arguments[What.Out], Size, Count, Pool, succeeded(What.Succeeds), Old});
  if (What.What == Allocator::Reallocate)
    return note(names::NoteReallocate, Pointer, {Call.Result, Size, Count, Pool, Old});
  return note(names::NoteAllocate, Pointer, {Call.Result, Size, Count, Pool});
}

bool gives(const Allocator &What) { return What.What == Allocator::Allocate || What.What == Allocator::Reallocate; }
// Before the function does its work; the others are noted when it has returned.
bool isAtEntry(const Allocator &What) {
  return What.What == Allocator::Free || What.What == Allocator::FreePool || What.What == Allocator::Release;
}

void noteAtEntry(NoteBuilder &At, const Allocator &What) {
  if (What.What == Allocator::Release)
    At.release(What);
  else
    At.free(What);
}

} // namespace

DIType *AllocatorNotes::typeOf(CallBase &Call, const Allocator &What, Describer &Describe) const {
  if (!What.Type.empty()) return Types.named(What.Type, Call.getContext());
  return declaredType(Call, asSite(What), Types, Describe.places(), What.Bytes);
}

// 0: an argument says it, or nobody does.
uint64_t AllocatorNotes::bytesOf(const Allocator &What, DIType *Type) const {
  return What.Size >= 0 ? 0 : What.Bytes ? What.Bytes : Types.sizeBytes(Type);
}

void AllocatorNotes::look(CallBase &Call, Describer &Describe) {
  if (const Allocator *What = Known.find(Call))
    Notes.push_back({&Call, What, gives(*What) ? typeOf(Call, *What, Describe) : nullptr});
}

// False: the function is left to note the call itself.
bool AllocatorNotes::insertOne(const Found &Note) {
  const Allocator &What = *Note.What;
  CallBase &Call = *Note.Call;
  if (isAtEntry(What)) {
    NoteBuilder At(&Call, Call.getDebugLoc(), asCalled(Call));
    noteAtEntry(At, What);
    return true;
  }
  uint64_t Bytes = bytesOf(What, Note.Type);
  Instruction *Where = afterReturn(Call);
  bool LacksSize = gives(What) && What.Size < 0 && !Bytes;
  if (!Where || LacksSize) return false; // it returns for its caller; nobody says how much
  NoteBuilder At(Where, Call.getDebugLoc(), asCalled(Call));
  if (What.What == Allocator::Acquire) {
    At.acquire(What);
    return true;
  }
  CallInst *Made = At.giveOrTake(What, Bytes);
  if (Note.Type) attachDescription(*Made, {Description{Note.Type, 0, "", nullptr, Note.Type}});
  return true;
}

void AllocatorNotes::insertInside(Function &F, const Allocator &What) {
  DIType *Type = gives(What) && !What.Type.empty() ? Types.named(What.Type, F.getContext()) : nullptr;
  uint64_t Bytes = bytesOf(What, Type);
  if (F.isPresplitCoroutine() || F.hasFnAttribute(Attribute::Naked)) return;
  if (gives(What) && What.Size < 0 && !Bytes) return;
  SmallVector<ReturnInst *, 4> Returns;
  for (BasicBlock &Block : F)
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator()); Return && !Block.getTerminatingMustTailCall())
      Returns.push_back(Return);
  DISubprogram *Scope = F.getSubprogram();
  DebugLoc Inside;
  if (Scope) Inside = DILocation::get(F.getContext(), Scope->getScopeLine(), 0, Scope);
  NotedCall Called;
  for (Argument &Each : F.args()) Called.Arguments.push_back(&Each);
  NoteBuilder Entry(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca(), Inside, Called);
  Value *IsNoted = Entry.note(names::NoteCalled, Entry.Build.getInt32Ty(), {&F});
  Value *IsNot = Entry.Build.CreateIsNull(IsNoted);
  if (isAtEntry(What)) {
    NoteBuilder At(SplitBlockAndInsertIfThen(IsNot, &*Entry.Build.GetInsertPoint(), false), Inside, Called);
    return noteAtEntry(At, What);
  }
  for (ReturnInst *Return : Returns) {
    Called.Result = Return->getReturnValue();
    bool HasPlace = bool(Return->getDebugLoc());
    Instruction *Before = SplitBlockAndInsertIfThen(IsNot, Return, false);
    NoteBuilder At(Before, HasPlace ? Return->getDebugLoc() : Inside, Called);
    if (What.What == Allocator::Acquire) {
      At.acquire(What);
      continue;
    }
    CallInst *Made = At.giveOrTake(What, Bytes);
    if (Type) attachDescription(*Made, {Description{Type, 0, "", nullptr, Type}});
  }
}

void AllocatorNotes::insert(Function &F) {
  for (const Found &Note : Notes) {
    if (!insertOne(Note)) continue;
    NoteBuilder At(Note.Call, Note.Call->getDebugLoc(), asCalled(*Note.Call));
    At.note(names::NoteCalling, At.Build.getVoidTy(), {Note.Call->getCalledFunction()});
  }
  Notes.clear();
  if (const Allocator *What = Known.find(F)) insertInside(F, *What);
}

} // namespace dprof
