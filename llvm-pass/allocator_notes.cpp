// Stage: plugin, "describe". Adds a call of the runtime beside each call of the program's own allocators and locks. The
// added call stays when the optimiser has inlined them.
#include "allocator_notes.h"

#include "added_call.h"
#include "names.h"
#include "receivers.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace dprof {

namespace {

AllocationCall asSite(const Allocator &What) {
  AllocationCall Site;
  Site.OutArgument = What.Out.Argument;
  Site.SizeArgument = What.Size.isField() ? -1 : What.Size.Argument;
  Site.CountArgument = What.Count.isField() ? -1 : What.Count.Argument;
  return Site;
}

NotedCall asCalled(CallBase &Call) { return {SmallVector<Value *, 8>(Call.args()), &Call}; }

// Before the function does its work; the others are noted when it has returned.
bool isAtEntry(const Allocator &What) {
  return What.What == Allocator::Free || What.What == Allocator::FreePool || What.What == Allocator::Release;
}

// The type to which an argument points as it is declared, or the result (`Number` -1). Null: nothing says it.
DIType *declaredPointee(const Function &F, int Number, const DebugTypes &Types) {
  DISubprogram *Own = F.getSubprogram();
  if (!Own || !Own->getType()) return nullptr;
  auto Declared = Own->getType()->getTypeArray();
  bool Agree = Declared.size() == F.arg_size() + 1; // nothing is passed in several registers
  return Agree ? Types.pointee(Declared[Number + 1]) : nullptr;
}

} // namespace

// None: the fields of a struct are not known here, or not what the description says.
std::optional<NotedFields> AllocatorNotes::fieldsOf(const Allocator &What, const Function &F, ArrayRef<Value *> Passed,
                                                    PlaceFinder *Places) {
  auto pointee = [&](int Number) {
    DIType *T = declaredPointee(F, Number, Types);
    return !DebugTypes::asRecord(T) && Places && Number >= 0 ? Places->pointeeOf(Passed[Number]) : T;
  };
  NotedFields Fields;
  auto look = [&](const ArgumentPath &Path, FieldKind Kind, FieldRead &Into) {
    if (!Path.isField()) return true;
    std::string Error;
    auto Found = findFieldRead(Path, Kind, pointee(Path.Argument), Types, Error);
    if (!Error.empty()) Known.refuse(What, Path, Error, F.getContext());
    if (Found) Into = *Found;
    return Found.has_value();
  };
  if (!look(What.Size, FieldKind::Number, Fields.Size) || !look(What.Count, FieldKind::Number, Fields.Count) ||
      !look(What.Pool, FieldKind::Pointer, Fields.Pool) || !look(What.NamedBy, FieldKind::Text, Fields.Name) ||
      !look(What.Out, FieldKind::Pointer, Fields.Out))
    return std::nullopt;
  if (What.Table.empty()) return Fields;
  Fields.Element = Types.sizeBytes(pointee(What.gives() ? -1 : What.Pointer));
  return Fields.Element ? std::optional(Fields) : std::nullopt;
}

DIType *AllocatorNotes::typeOf(CallBase &Call, const Allocator &What, const NotedFields *Fields,
                               Describer &Describe) const {
  if (!What.Type.empty()) return Types.named(What.Type, Call.getContext());
  if (What.Out.isField()) return Fields ? DebugTypes::asRecord(Types.pointee(Fields->Out.Type)) : nullptr;
  if (!What.Table.empty()) return nullptr; // the receiver's is the element's
  return declaredType(Call, asSite(What), Types, Describe.places(), What.Bytes);
}

// 0: an argument says it, or nobody does.
uint64_t AllocatorNotes::bytesOf(const Allocator &What, DIType *Type) const {
  return What.Size.isGiven() ? 0 : What.Bytes ? What.Bytes : Types.sizeBytes(Type);
}

void AllocatorNotes::look(CallBase &Call, Describer &Describe) {
  const Allocator *What = Known.find(Call);
  if (!What || What->AtEntry) return;
  if (isPassedOn(Call, *What)) {
    Notes.push_back({&Call, nullptr, nullptr, std::nullopt});
    return;
  }
  SmallVector<Value *, 8> Passed(Call.args());
  auto Fields = fieldsOf(*What, *Call.getCalledFunction(), Passed, &Describe.places());
  DIType *Type = What->gives() ? typeOf(Call, *What, Fields ? &*Fields : nullptr, Describe) : nullptr;
  Notes.push_back({&Call, What, Type, Fields});
}

// Whether a described function returns what this call gives it: that is one part, of the outer function's description.
bool AllocatorNotes::isPassedOn(CallBase &Call, const Allocator &What) {
  Function &F = *Call.getFunction();
  const Allocator *Outer = Known.find(F);
  auto isResult = [](const Allocator &A) { return A.gives() && !A.Out.isGiven(); };
  if (!Outer || !isResult(*Outer) || !isResult(What) || Outer->Table != What.Table) return false;
  if (Outer->GivenBy.empty() ? !Outer->saysSize() : What.GivenBy.empty()) return false;
  return !F.isPresplitCoroutine() && isHandedOn(Call) && fieldsOf(*Outer, F, {}, nullptr);
}

// Beside the call, or in the function itself.
void AllocatorNotes::note(NoteBuilder &At, const Allocator &What, const NotedFields &Fields, DIType *Type) const {
  switch (What.What) {
    case Allocator::Acquire: return At.acquire(What);
    case Allocator::Release: return At.release(What);
    case Allocator::Free:
    case Allocator::FreePool: return At.take(What, Fields);
    case Allocator::Allocate:
    case Allocator::Reallocate: return At.give(What, Fields, bytesOf(What, Type), Type, Types);
  }
}

bool AllocatorNotes::lacksSize(const Allocator &What, DIType *Type) const {
  return What.gives() && !What.Size.isGiven() && !bytesOf(What, Type);
}

// False: the function is left to note the call itself, or another that it calls.
bool AllocatorNotes::insertOne(const Found &Found) {
  if (!Found.What) return true;
  const Allocator &What = *Found.What;
  CallBase &Call = *Found.Call;
  bool IsHandedOn = !What.GivenBy.empty();
  Instruction *Where = isAtEntry(What) ? &Call : afterReturn(Call);
  if (!Where || (!IsHandedOn && lacksSize(What, Found.Type))) return false; // it returns for its caller; no size
  NoteBuilder At(Where, Call.getDebugLoc(), asCalled(Call));
  if (IsHandedOn)
    At.handOn(What, Found.Fields ? &*Found.Fields : nullptr, Found.Type, Types);
  else if (Found.Fields)
    note(At, What, *Found.Fields, Found.Type);
  else if (What.gives() && !What.Out.isGiven() && What.Table.empty())
    At.receive(What, Found.Type);
  return !IsHandedOn && Found.Fields;
}

void AllocatorNotes::insertInside(Function &F, const Allocator &What) {
  DIType *Type = What.gives() && !What.Type.empty() ? Types.named(What.Type, F.getContext()) : nullptr;
  if (F.isPresplitCoroutine() || F.hasFnAttribute(Attribute::Naked)) return;
  if (!What.GivenBy.empty() || lacksSize(What, Type)) return;
  auto Fields = fieldsOf(What, F, {}, nullptr);
  if (!Fields) return;
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
  if (What.AtEntry) return note(Entry, What, *Fields, Type);
  Value *IsNoted = Entry.note(names::NoteCalled, Type::getInt32Ty(F.getContext()), {&F});
  Value *IsNot = Entry.isZero(IsNoted);
  if (isAtEntry(What)) {
    NoteBuilder At(SplitBlockAndInsertIfThen(IsNot, Entry.position(), false), Inside, Called);
    return note(At, What, *Fields, Type);
  }
  for (ReturnInst *Return : Returns) {
    Called.Result = Return->getReturnValue();
    bool HasPlace = bool(Return->getDebugLoc());
    Instruction *Before = SplitBlockAndInsertIfThen(IsNot, Return, false);
    NoteBuilder At(Before, HasPlace ? Return->getDebugLoc() : Inside, Called);
    note(At, What, *Fields, Type);
  }
}

void AllocatorNotes::insert(Function &F) {
  for (const Found &Note : Notes) {
    if (!insertOne(Note)) continue;
    NoteBuilder At(Note.Call, Note.Call->getDebugLoc(), asCalled(*Note.Call));
    At.note(names::NoteCalling, Type::getVoidTy(F.getContext()), {Note.Call->getCalledFunction()});
  }
  Notes.clear();
  if (const Allocator *What = Known.find(F)) insertInside(F, *What);
}

} // namespace dprof
