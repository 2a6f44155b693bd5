// Stage: plugin, "decide". Calls of libc's string functions -> the memory that they access. ISO C 7.24, POSIX and the
// GNU C library's manual define the bytes that each reads: a search reads up to the byte that it finds, a comparison up
// to the first difference, both including that byte.
#include "string_calls.h"

#include "describe.h"
#include "names.h"
#include "seen_library.h"
#include "string_functions.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace dprof {

namespace {

class Accesses {
public:
  Accesses(const CallBase &Call, bool IsWide) : Call(Call), IsWide(IsWide) {}

  SmallVector<AccessSlot, 2> of(Reads What) {
    switch (What) {
      case Reads::String: scan(0, by(DPROF_MEASURE_STRING, 0)); break;
      case Reads::Bounded: scan(0, by(DPROF_MEASURE_STRING, 0, -1, 1)); break;
      case Reads::UntilOrEnd: scan(0, by(DPROF_MEASURE_UNTIL_OR_END, 0, 1)); break;
      case Reads::UntilForever: scan(0, by(DPROF_MEASURE_UNTIL, 0, 1)); break;
      case Reads::Until: scan(0, by(DPROF_MEASURE_UNTIL, 0, 1, 2)); break;
      case Reads::CopyUntil: copy(by(DPROF_MEASURE_UNTIL, 1, 2, 3)); break;
      case Reads::Copy: copy(by(DPROF_MEASURE_STRING, 1)); break;
      case Reads::BoundedCopy: {
        copy(by(DPROF_MEASURE_STRING, 1, -1, 2));
        store(by(DPROF_MEASURE_BEHIND_STRING, 1, -1, 2), by(DPROF_MEASURE_STRING, 1, -1, 2), 0);
        break;
      }
      case Reads::Append:
        scan(0, by(DPROF_MEASURE_STRING, 0));
        scan(1, by(DPROF_MEASURE_STRING, 1));
        store(by(DPROF_MEASURE_STRING, 1), by(DPROF_MEASURE_STRING, 0), -1);
        break;
      case Reads::BoundedAppend:
        scan(0, by(DPROF_MEASURE_STRING, 0));
        scan(1, by(DPROF_MEASURE_STRING, 1, -1, 2));
        store(by(DPROF_MEASURE_STRING_AND_END, 1, -1, 2), by(DPROF_MEASURE_STRING, 0), -1);
        break;
      case Reads::Compare: compare(by(DPROF_MEASURE_COMMON, 0, 1)); break;
      case Reads::BoundedCompare: compare(by(DPROF_MEASURE_COMMON, 0, 1, 2)); break;
      case Reads::CompareFolded: compare(by(DPROF_MEASURE_COMMON_FOLDED, 0, 1)); break;
      case Reads::BoundedCompareFolded: compare(by(DPROF_MEASURE_COMMON_FOLDED, 0, 1, 2)); break;
      case Reads::CompareBytes: compare(by(DPROF_MEASURE_COMMON_BYTES, 0, 1, 2)); break;
      case Reads::Span: searchFor(DPROF_MEASURE_SPAN); break;
      case Reads::OtherSpan: searchFor(DPROF_MEASURE_OTHER_SPAN); break;
      case Reads::Search: searchFor(DPROF_MEASURE_SEARCH); break;
      case Reads::SearchFolded: searchFor(DPROF_MEASURE_SEARCH_FOLDED); break;
      case Reads::SearchBytes:
        scan(2, by(DPROF_MEASURE_WANTED_BYTES, 0, 2, 1, 3));
        scan(0, by(DPROF_MEASURE_SEARCH_BYTES, 0, 2, 1, 3));
        break;
      case Reads::FromLast:
        add(DPROF_SLOT_SCAN, 0, by(DPROF_MEASURE_FROM_LAST, 0, 1, 2)).MeasuredOffset =
            by(DPROF_MEASURE_BEFORE_LAST, 0, 1, 2);
        break;
      case Reads::Token:
      case Reads::TokenOfRest:
      case Reads::Separated: takeToken(What); break;
      case Reads::Duplicate: scan(0, by(DPROF_MEASURE_STRING, 0)); break;
      case Reads::BoundedDuplicate: scan(0, by(DPROF_MEASURE_STRING, 0, -1, 1)); break;
      case Reads::CopyBytes: copy(by(DPROF_MEASURE_LIMIT, 1, -1, 2)); break;
      case Reads::Fill: add(DPROF_SLOT_FILL, 0, by(DPROF_MEASURE_LIMIT, 0, -1, 2)); break;
      case Reads::SwapPairs:
        add(DPROF_SLOT_COPY_LOAD, 0, by(DPROF_MEASURE_PAIRS, 0, -1, 2));
        add(DPROF_SLOT_COPY_STORE, 1, by(DPROF_MEASURE_PAIRS, 0, -1, 2));
        break;
    }
    return std::move(Slots);
  }

private:
  // Numbers of arguments; -1: there is none.
  MeasuredBytes by(unsigned How, int A, int B = -1, int Limit = -1, int Wanted = -1) const {
    auto argument = [&](int Number) -> Value * { return Number < 0 ? nullptr : Call.getArgOperand(Number); };
    return {How | (IsWide ? DPROF_MEASURE_WIDE : 0), argument(A), argument(B), argument(Limit), argument(Wanted), 0};
  }

  AccessSlot &add(dprof_slot_kind Kind, int Pointer, MeasuredBytes Length) {
    AccessSlot &Slot = Slots.emplace_back();
    Slot.Kind = Kind;
    Slot.Pointer = Call.getArgOperand(Pointer);
    Slot.SizeBytes = DPROF_SIZE_DYNAMIC;
    Slot.MeasuredLength = Length;
    return Slot;
  }

  void scan(int Pointer, MeasuredBytes Length) { add(DPROF_SLOT_SCAN, Pointer, Length); }

  void copy(MeasuredBytes Length) {
    add(DPROF_SLOT_COPY_LOAD, 1, Length);
    add(DPROF_SLOT_COPY_STORE, 0, Length);
  }

  // Into the first argument, `Behind` bytes and `Plus` characters on.
  void store(MeasuredBytes Length, MeasuredBytes Behind, int Plus) {
    AccessSlot &Slot = add(DPROF_SLOT_FILL, 0, Length);
    Slot.MeasuredOffset = Behind;
    Slot.MeasuredOffset->Plus = Plus * (IsWide ? 4 : 1);
  }

  void compare(MeasuredBytes Length) {
    scan(0, Length);
    scan(1, Length);
  }

  void searchFor(dprof_measure How) {
    scan(1, by(DPROF_MEASURE_STRING, 1));
    scan(0, by(How, 0, 1));
  }

  // Separators are argument 1. The text is argument 0, or is where a pointer points to: the function's own, argument 2,
  // or of strsep argument 0.
  void takeToken(Reads What) {
    const bool IsSeparated = What == Reads::Separated;
    Value *Null = ConstantPointerNull::get(PointerType::getUnqual(Call.getContext()));
    Value *Text = IsSeparated ? Null : Call.getArgOperand(0);
    Value *Rest = What == Reads::Token ? nullptr : Call.getArgOperand(IsSeparated ? 0 : 2);
    auto by = [&](unsigned How) {
      MeasuredBytes Bytes = this->by(How | (IsSeparated ? DPROF_MEASURE_SEPARATED : 0), -1, 1);
      Bytes.A = Text;
      Bytes.Limit = Rest;
      return Bytes;
    };
    auto access = [&](dprof_slot_kind Kind, Value *Pointer, unsigned Length) -> AccessSlot & {
      AccessSlot &Slot = add(Kind, 1, by(Length));
      Slot.Pointer = Pointer;
      return Slot;
    };
    if (Rest) access(DPROF_SLOT_SCAN, Rest, DPROF_MEASURE_TOKEN_LOADS);
    access(DPROF_SLOT_SCAN, Call.getArgOperand(1), DPROF_MEASURE_TOKEN_SET);
    access(DPROF_SLOT_SCAN, Text, DPROF_MEASURE_TOKEN).MeasuredOffset = by(DPROF_MEASURE_TOKEN_BEGIN);
    access(DPROF_SLOT_FILL, Text, DPROF_MEASURE_TOKEN_CUTS).MeasuredOffset = by(DPROF_MEASURE_TOKEN_CUT);
    if (Rest) access(DPROF_SLOT_FILL, Rest, DPROF_MEASURE_TOKEN_STORES);
  }

  const CallBase &Call;
  bool IsWide;
  SmallVector<AccessSlot, 2> Slots;
};

} // namespace

bool isStringFunction(const Function &F) { return asStringFunction(F); }

bool isBlockFunction(const Function &F) {
  return StringSwitch<bool>(F.getName())
      .Cases("memcpy", "memmove", "mempcpy", "memset", "bcopy", "bzero", "explicit_bzero", true)
      .Default(false);
}

// Told that its names mean nothing, a program may mean something else by them.
static const StringFunction *asCalled(const CallBase &Call, const Function &Callee) {
  const llvm::Function &Caller = *Call.getFunction();
  bool AreKnown = cLibrary() == CLibrary::Itself;
  if (!AreKnown && (Call.isNoBuiltin() || Caller.hasFnAttribute("no-builtins") ||
                    Caller.hasFnAttribute(("no-builtin-" + Callee.getName()).str())))
    return nullptr;
  return Call.getFunctionType() == Callee.getFunctionType() ? asStringFunction(Callee) : nullptr;
}

SmallVector<AccessSlot, 2> stringAccesses(const CallBase &Call, const Function &Callee) {
  const StringFunction *Known = asCalled(Call, Callee);
  return Known ? Accesses(Call, Known->IsWide).of(Known->What) : SmallVector<AccessSlot, 2>();
}

bool duplicates(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  const StringFunction *Known = Callee && !Callee->hasLocalLinkage() ? asCalled(Call, *Callee) : nullptr;
  return Known && (Known->What == Reads::Duplicate || Known->What == Reads::BoundedDuplicate);
}

void markDuplicates(Module &M) {
  SmallVector<CallBase *, 8> Calls;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && duplicates(*Call) && !Call->isMustTailCall())
        Calls.push_back(Call);
  for (CallBase *Call : Calls) {
    auto *Invoke = dyn_cast<InvokeInst>(Call);
    if (Invoke && !Invoke->getNormalDest()->getSinglePredecessor())
      SplitEdge(Invoke->getParent(), Invoke->getNormalDest());
    IRBuilder<> Build(Invoke ? &*Invoke->getNormalDest()->getFirstInsertionPt() : Call->getNextNode());
    Build.SetCurrentDebugLocation(Call->getDebugLoc());
    unsigned Wide = asStringFunction(*Call->getCalledFunction())->IsWide ? DPROF_MEASURE_WIDE : 0;
    FunctionCallee Mark =
        M.getOrInsertFunction(names::Duplicated, Build.getVoidTy(), Build.getPtrTy(), Build.getInt32Ty());
    CallInst *Marked = Build.CreateCall(Mark, {Call, Build.getInt32(Wide)});
    // What is copied says the type of the copy, where nobody declared the function.
    auto Pieces = readDescription(*Call);
    DIType *Scalar = Pieces.empty() ? nullptr : Pieces[0].Leaf;
    const bool IsScalar = Scalar && (isa<DIBasicType>(Scalar) || Scalar->getTag() == dwarf::DW_TAG_typedef);
    if (IsScalar && !Call->getCalledFunction()->getSubprogram())
      attachDescription(*Marked, {{Scalar, 0, "", nullptr, Scalar}});
  }
}

SmallVector<AccessSlot, 2> duplicateAccesses(const CallBase &Mark) {
  AccessSlot Slot;
  Slot.Kind = DPROF_SLOT_FILL;
  Slot.Pointer = Mark.getArgOperand(0);
  Slot.SizeBytes = DPROF_SIZE_DYNAMIC;
  unsigned Wide = cast<ConstantInt>(Mark.getArgOperand(1))->getZExtValue();
  Slot.MeasuredLength = MeasuredBytes{DPROF_MEASURE_STRING | Wide, Slot.Pointer, nullptr, nullptr, nullptr, 0};
  return {Slot};
}

void removeDuplicateMarks(Module &M) {
  Function *Mark = M.getFunction(names::Duplicated);
  if (!Mark) return;
  for (User *Call : make_early_inc_range(Mark->users())) cast<CallBase>(Call)->eraseFromParent();
  Mark->eraseFromParent();
}

} // namespace dprof
