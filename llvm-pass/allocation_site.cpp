// Stage: plugin. Finds calls that give out memory or take it back, and the types that the program declares for it.
#include "allocation_site.h"

#include "field_path.h"
#include "names.h"
#include "seen_library.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace dprof {

namespace {

AllocationCall allocate(int Size, int Count = -1) {
  AllocationCall Call;
  Call.SizeArgument = Size;
  Call.CountArgument = Count;
  return Call;
}

AllocationCall release(int Pointer) {
  AllocationCall Call;
  Call.Role = AllocationCall::Free;
  Call.PointerArgument = Pointer;
  return Call;
}

bool isMemory(const CallBase &Call, int Argument) {
  return Argument < 0 ||
         (unsigned(Argument) < Call.arg_size() && Call.getArgOperand(Argument)->getType()->isPointerTy());
}

bool isSize(const CallBase &Call, int Argument) {
  return Argument < 0 ||
         (unsigned(Argument) < Call.arg_size() && Call.getArgOperand(Argument)->getType()->isIntegerTy());
}

} // namespace

bool isNote(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->isDeclaration() && Callee->getName().starts_with(names::Prefix);
}

// By its name alone.
static std::optional<AllocationCall> asAllocator(const Function &F) {
  if (F.isIntrinsic() || F.hasLocalLinkage()) return std::nullopt;
  StringRef Name = F.getName();
  using Result = std::optional<AllocationCall>;
  Result Found = StringSwitch<Result>(Name)
                     .Cases("malloc", "valloc", "pvalloc", allocate(0))
                     .Case("calloc", allocate(1, 0))
                     .Case("realloc", allocate(1))
                     .Case("reallocarray", allocate(2, 1))
                     .Cases("aligned_alloc", "memalign", "mmap", "mmap64", allocate(1))
                     .Cases("posix_memalign", "mremap", allocate(2))
                     .Cases("strdup", "strndup", "__strdup", "__strndup", "wcsdup", allocate(-1))
                     .Cases("asprintf", "vasprintf", "__asprintf", "__asprintf_chk", "__vasprintf_chk", allocate(-1))
                     .Cases("free", "cfree", "munmap", release(0))
                     .Cases(names::NoteAllocate, names::NoteReallocate, names::NoteOut, allocate(1, 2))
                     .Case(names::NoteReceived, allocate(-1))
                     .Case(names::Alloc, allocate(1))
                     .Cases(names::NoteFree, names::Free, release(0))
                     .Default(std::nullopt);
  if (cLibrary() == CLibrary::Itself) { // what musl has for itself
    if (Name == "__libc_malloc") Found = allocate(0);
    if (Name == "__libc_free") Found = release(0);
  }
  bool Prints = Name.contains("asprintf");
  if (Found && (Name == "posix_memalign" || Prints)) {
    Found->OutArgument = 0;
    Found->SucceedsUnlessNegative = Prints;
  }
  bool IsNew = Name.starts_with("_Znw") || Name.starts_with("_Zna");
  if (IsNew) {
    Found = allocate(0);
    Found->IsNew = true;
    Found->IsArrayNew = Name.starts_with("_Zna");
  }
  if (Name.starts_with("_Zdl") || Name.starts_with("_Zda")) Found = release(0);
  return Found;
}

bool isAllocationName(const Function &F) { return asAllocator(F).has_value(); }

std::optional<AllocationCall> asAllocationCall(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  std::optional<AllocationCall> Found = Callee ? asAllocator(*Callee) : std::nullopt;
  if (!Found) return Found;
  bool ReturnsMemory = Found->Role == AllocationCall::Free || Found->OutArgument >= 0 || Call.getType()->isPointerTy();
  bool IsTheRealOne = ReturnsMemory && isMemory(Call, Found->OutArgument) && isMemory(Call, Found->PointerArgument) &&
                      isSize(Call, Found->SizeArgument) && isSize(Call, Found->CountArgument);
  return IsTheRealOne ? Found : std::nullopt;
}

namespace {

// The type to which the pointer at `P` points.
DIType *pointeeAt(const Place &P, Type *Pointer, const DebugTypes &Types) {
  FieldQuery Query;
  DIType *Outer = Types.withoutArrays(P.Type);
  uint64_t Size = Types.sizeBytes(Outer);
  Query.Offset = Types.element(P.Type) && Size ? P.Offset % Size : P.Offset;
  Query.Size = 8;
  Query.Accessed = Pointer;
  Query.Through = P.Through;
  return Types.pointee(findField(Types, Outer, Query).Type);
}

DIType *ownResult(const Instruction &I, const DebugTypes &Types) {
  DISubprogram *Own = I.getFunction()->getSubprogram();
  bool Known = Own && Own->getType() && Own->getType()->getTypeArray().size();
  return Known ? Types.pointee(Own->getType()->getTypeArray()[0]) : nullptr;
}

// The pointee of the place that receives `Result`: a variable, a field, or the function's own result.
DIType *receivedAs(Value &Result, const DebugTypes &Types, PlaceFinder &Places, unsigned Depth = 0) {
  for (User *U : Result.users()) {
    if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getValueOperand() == &Result) {
      const Place &To = Places.find(Store->getPointerOperand());
      if (To.Type) return pointeeAt(To, Result.getType(), Types);
      // clang collects a function's result in an unnamed variable when it has several returns.
      auto *Slot = dyn_cast<AllocaInst>(Store->getPointerOperand());
      bool IsResult =
          Slot && any_of(Slot->users(), [](User *Load) {
            return isa<LoadInst>(Load) && any_of(Load->users(), [](User *End) { return isa<ReturnInst>(End); });
          });
      if (IsResult) return ownResult(*Store, Types);
    }
    if (isa<ReturnInst>(U)) return ownResult(*cast<Instruction>(U), Types);
    if ((isa<PHINode>(U) || isa<SelectInst>(U)) && Depth < 3)
      if (DIType *Found = receivedAs(*U, Types, Places, Depth + 1)) return Found;
  }
  return nullptr;
}

std::optional<uint64_t> constantArgument(const CallBase &Call, int Argument) {
  if (Argument < 0) return std::nullopt;
  auto *Constant = dyn_cast<ConstantInt>(Call.getArgOperand(Argument));
  return Constant ? std::optional(Constant->getZExtValue()) : std::nullopt;
}

// Whether the source computes `Size` as a number of whole units: `n * sizeof(T)`, `sizeof(T) << k` and sums of such.
bool isMultiple(const Value *Size, uint64_t Unit) {
  if (auto *Constant = dyn_cast<ConstantInt>(Size))
    return Constant->getZExtValue() && Constant->getZExtValue() % Unit == 0;
  auto *Step = dyn_cast<Operator>(Size);
  if (!Step) return false;
  switch (Step->getOpcode()) {
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::Trunc: return isMultiple(Step->getOperand(0), Unit);
    case Instruction::Mul: return isMultiple(Step->getOperand(0), Unit) || isMultiple(Step->getOperand(1), Unit);
    case Instruction::Add: return isMultiple(Step->getOperand(0), Unit) && isMultiple(Step->getOperand(1), Unit);
    case Instruction::Shl: {
      auto *Bits = dyn_cast<ConstantInt>(Step->getOperand(1));
      return Bits && Bits->getZExtValue() < 63 && (1ull << Bits->getZExtValue()) % Unit == 0;
    }
    default: return false;
  }
}

// `sizeof(T) + more`: one T with something behind it.
bool isUnitAndMore(const Value *Size, uint64_t Unit) {
  auto *Sum = dyn_cast<Operator>(Size);
  if (!Sum || Sum->getOpcode() != Instruction::Add) return false;
  return any_of(Sum->operands(), [&](const Use &Part) {
    auto *Constant = dyn_cast<ConstantInt>(Part);
    return Constant && Constant->getZExtValue() == Unit;
  });
}

bool isPolymorphic(DIType *T) {
  DICompositeType *Record = DebugTypes::asRecord(T);
  return Record && Record->getVTableHolder();
}

// Whether the size agrees with `sizeof(T)`. A pointer type alone proves nothing: C converts from `void *` silently, and
// allocators keep their own header through an `int64_t *`.
bool sizeAgrees(const CallBase &Call, const AllocationCall &Site, DIType *T, const DebugTypes &Types) {
  uint64_t Unit = Types.sizeBytes(T);
  if (Unit < 2 || Site.SizeArgument < 0) return false;
  const Value *Size = Call.getArgOperand(Site.SizeArgument);
  if (isMultiple(Size, Unit)) return true;
  if (Site.CountArgument >= 0) return isMultiple(Call.getArgOperand(Site.CountArgument), Unit);
  std::optional<uint64_t> Bytes = constantArgument(Call, Site.SizeArgument);
  if (Bytes) return *Bytes >= Unit && endsInArray(Types, T);
  return DebugTypes::asRecord(T) && isUnitAndMore(Size, Unit);
}

} // namespace

namespace {

// dprof_alloc(..., "type"), where the type is a constant.
DIType *typeNamedIn(CallBase &Call, const DebugTypes &Types) {
  StringRef Name;
  bool Says = isNote(Call) && Call.getCalledFunction()->getName() == names::Alloc && Call.arg_size() == 3 &&
              getConstantStringInfo(Call.getArgOperand(2), Name) && !Name.empty();
  return Says ? Types.named(Name, Call.getContext()) : nullptr;
}

} // namespace

DIType *declaredType(CallBase &Call, const DebugTypes &Types, PlaceFinder &Places) {
  std::optional<AllocationCall> Site = asAllocationCall(Call);
  if (!Site || Site->Role == AllocationCall::Free) return nullptr;
  if (isNote(Call)) return typeNamedIn(Call, Types);
  return declaredType(Call, *Site, Types, Places);
}

DIType *declaredType(CallBase &Call, const AllocationCall &Site, const DebugTypes &Types, PlaceFinder &Places,
                     uint64_t Bytes) {
  if (auto *Known = dyn_cast_or_null<DIType>(Call.getMetadata("heapallocsite"))) return Types.strip(Known);
  std::optional<uint64_t> OneObject =
      Site.IsNew && !Site.IsArrayNew ? constantArgument(Call, Site.SizeArgument) : std::nullopt;
  DIType *T = OneObject ? Places.recordMade(&Call, *OneObject) : nullptr;
  if (T) return T;
  if (Site.OutArgument >= 0) {
    const Place &Out = Places.find(Call.getArgOperand(Site.OutArgument));
    T = Out.Type ? pointeeAt(Out, Call.getArgOperand(Site.OutArgument)->getType(), Types) : nullptr;
  } else {
    T = receivedAs(Call, Types, Places);
    if (!T) T = Places.pointeeOf(&Call); // optimised code: debug records say which variable it became
  }
  T = Types.withoutArrays(T);
  if (T && Site.SizeArgument < 0 && DebugTypes::asRecord(T)) {
    uint64_t Unit = Types.sizeBytes(T);
    return Unit && Bytes % Unit == 0 ? T : nullptr;
  }
  // A pointer to a base class receives the objects of all classes that are derived from it.
  if (OneObject && T && isPolymorphic(T) && *OneObject != Types.sizeBytes(T)) return nullptr;
  bool Says = T && !isa<DISubroutineType>(T) && sizeAgrees(Call, Site, T, Types);
  return Says ? T : nullptr;
}

uint64_t arrayCookieBytes(const CallBase &Call) {
  for (const User *U : Call.users()) {
    auto *Step = dyn_cast<GetElementPtrInst>(U);
    if (!Step || Step->getPointerOperand() != &Call || !Step->getSourceElementType()->isIntegerTy(8)) continue;
    auto *Bytes = dyn_cast<ConstantInt>(Step->idx_begin()->get());
    bool StoresCount = any_of(Call.users(), [&](const User *Other) {
      auto *Store = dyn_cast<StoreInst>(Other);
      return Store && Store->getPointerOperand() == &Call && Store->getValueOperand()->getType()->isIntegerTy(64);
    });
    if (Bytes && StoresCount) return Bytes->getZExtValue();
  }
  return 0;
}

} // namespace dprof
