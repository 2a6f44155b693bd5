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
  Site.OutArgument = What.Out;
  Site.SizeArgument = What.Size.isField() ? -1 : What.Size.Argument;
  Site.CountArgument = What.Count.isField() ? -1 : What.Count.Argument;
  return Site;
}

NotedCall asCalled(CallBase &Call) { return {SmallVector<Value *, 8>(Call.args()), &Call}; }

// Before the function does its work; the others are noted when it has returned.
bool isAtEntry(const Allocator &What) {
  return What.What == Allocator::Free || What.What == Allocator::FreePool || What.What == Allocator::Release;
}

void noteAtEntry(NoteBuilder &At, const Allocator &What, const NotedFields &Fields) {
  if (What.What == Allocator::Release)
    At.release(What);
  else
    At.take(What, Fields);
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
      !look(What.Pool, FieldKind::Pointer, Fields.Pool) || !look(What.NamedBy, FieldKind::Text, Fields.Name))
    return std::nullopt;
  if (What.Table.empty()) return Fields;
  Fields.Element = Types.sizeBytes(pointee(What.gives() ? -1 : What.Pointer));
  return Fields.Element ? std::optional(Fields) : std::nullopt;
}

DIType *AllocatorNotes::typeOf(CallBase &Call, const Allocator &What, Describer &Describe) const {
  if (!What.Type.empty()) return Types.named(What.Type, Call.getContext());
  if (!What.Table.empty()) return nullptr; // the receiver's is the element's
  return declaredType(Call, asSite(What), Types, Describe.places(), What.Bytes);
}

// 0: an argument says it, or nobody does.
uint64_t AllocatorNotes::bytesOf(const Allocator &What, DIType *Type) const {
  return What.Size.isGiven() ? 0 : What.Bytes ? What.Bytes : Types.sizeBytes(Type);
}

void AllocatorNotes::look(CallBase &Call, Describer &Describe) {
  const Allocator *What = Known.find(Call);
  if (!What) return;
  if (isPassedOn(Call, *What)) {
    Notes.push_back({&Call, nullptr, nullptr, std::nullopt});
    return;
  }
  SmallVector<Value *, 8> Passed(Call.args());
  auto Fields = fieldsOf(*What, *Call.getCalledFunction(), Passed, &Describe.places());
  Notes.push_back({&Call, What, What->gives() ? typeOf(Call, *What, Describe) : nullptr, Fields});
}

// Whether a described function returns what this call gives it: that is one part, of the outer function's description.
bool AllocatorNotes::isPassedOn(CallBase &Call, const Allocator &What) {
  Function &F = *Call.getFunction();
  const Allocator *Outer = Known.find(F);
  auto isResult = [](const Allocator &A) { return A.gives() && A.Out < 0; };
  if (!Outer || !isResult(*Outer) || !isResult(What) || !Outer->saysSize() || Outer->Table != What.Table) return false;
  return !F.isPresplitCoroutine() && isHandedOn(Call) && fieldsOf(*Outer, F, {}, nullptr);
}

// False: the function is left to note the call itself.
bool AllocatorNotes::insertOne(const Found &Note) {
  if (!Note.What) return true;
  const Allocator &What = *Note.What;
  CallBase &Call = *Note.Call;
  if (isAtEntry(What)) {
    if (!Note.Fields) return false;
    NoteBuilder At(&Call, Call.getDebugLoc(), asCalled(Call));
    noteAtEntry(At, What, *Note.Fields);
    return true;
  }
  uint64_t Bytes = bytesOf(What, Note.Type);
  Instruction *Where = afterReturn(Call);
  bool LacksSize = What.gives() && !What.Size.isGiven() && !Bytes;
  if (!Where || LacksSize) return false; // it returns for its caller; nobody says how much
  NoteBuilder At(Where, Call.getDebugLoc(), asCalled(Call));
  if (What.What == Allocator::Acquire) {
    At.acquire(What);
    return true;
  }
  if (Note.Fields)
    At.give(What, *Note.Fields, Bytes, Note.Type, Types);
  else if (What.Out < 0 && What.Table.empty())
    At.receive(What, Note.Type);
  return Note.Fields.has_value();
}

void AllocatorNotes::insertInside(Function &F, const Allocator &What) {
  DIType *Type = What.gives() && !What.Type.empty() ? Types.named(What.Type, F.getContext()) : nullptr;
  uint64_t Bytes = bytesOf(What, Type);
  if (F.isPresplitCoroutine() || F.hasFnAttribute(Attribute::Naked)) return;
  if (What.gives() && !What.Size.isGiven() && !Bytes) return;
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
  Value *IsNoted = Entry.note(names::NoteCalled, Type::getInt32Ty(F.getContext()), {&F});
  Value *IsNot = Entry.isZero(IsNoted);
  if (isAtEntry(What)) {
    NoteBuilder At(SplitBlockAndInsertIfThen(IsNot, Entry.position(), false), Inside, Called);
    return noteAtEntry(At, What, *Fields);
  }
  for (ReturnInst *Return : Returns) {
    Called.Result = Return->getReturnValue();
    bool HasPlace = bool(Return->getDebugLoc());
    Instruction *Before = SplitBlockAndInsertIfThen(IsNot, Return, false);
    NoteBuilder At(Before, HasPlace ? Return->getDebugLoc() : Inside, Called);
    if (What.What == Allocator::Acquire)
      At.acquire(What);
    else
      At.give(What, *Fields, Bytes, Type, Types);
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
