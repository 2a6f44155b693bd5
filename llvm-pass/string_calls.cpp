// Stage: plugin, "decide". Calls of libc's string functions -> the memory that they access. ISO C 7.24, POSIX and the
// GNU C library's manual define the bytes that each reads: a search reads up to the byte that it finds, a comparison up
// to the first difference, both including that byte.
#include "string_calls.h"

#include "seen_library.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace dprof {

namespace {

// The kinds of the arguments: P pointer, C character, N size. Results do not matter.
enum class Shape { P, PN, PP, PPN, PC, PCN, PPCN };

enum class Reads {
  String,      // strlen
  Bounded,     // strnlen
  Copy,        // strcpy: and stores as much
  BoundedCopy, // strncpy: and stores that, and zeros up to N
  Append,      // strcat: both strings, and stores the second behind the first
  BoundedAppend,
  Compare, // strcmp
  BoundedCompare,
  CompareFolded, // strcasecmp
  BoundedCompareFolded,
  CompareBytes, // memcmp
  UntilOrEnd,   // strchr
  Until,        // memchr
  UntilForever, // rawmemchr
  CopyUntil,    // memccpy
  Span,         // strspn, with its set
  OtherSpan,    // strcspn
  Search,       // strstr
};

struct Known {
  Shape Arguments;
  Reads What;
};

const StringMap<Known> &knownFunctions() {
  static const StringMap<Known> Table = {
      {"strlen", {Shape::P, Reads::String}},
      {"strnlen", {Shape::PN, Reads::Bounded}},
      {"strrchr", {Shape::PC, Reads::String}},
      {"strchr", {Shape::PC, Reads::UntilOrEnd}},
      {"strchrnul", {Shape::PC, Reads::UntilOrEnd}},
      {"rawmemchr", {Shape::PC, Reads::UntilForever}},
      {"memchr", {Shape::PCN, Reads::Until}},
      {"memccpy", {Shape::PPCN, Reads::CopyUntil}},
      {"strcpy", {Shape::PP, Reads::Copy}},
      {"stpcpy", {Shape::PP, Reads::Copy}},
      {"__strcpy_chk", {Shape::PPN, Reads::Copy}},
      {"__stpcpy_chk", {Shape::PPN, Reads::Copy}},
      {"strncpy", {Shape::PPN, Reads::BoundedCopy}},
      {"stpncpy", {Shape::PPN, Reads::BoundedCopy}},
      {"__strncpy_chk", {Shape::PPN, Reads::BoundedCopy}},
      {"__stpncpy_chk", {Shape::PPN, Reads::BoundedCopy}},
      {"strcat", {Shape::PP, Reads::Append}},
      {"__strcat_chk", {Shape::PPN, Reads::Append}},
      {"strncat", {Shape::PPN, Reads::BoundedAppend}},
      {"__strncat_chk", {Shape::PPN, Reads::BoundedAppend}},
      {"strcmp", {Shape::PP, Reads::Compare}},
      {"strncmp", {Shape::PPN, Reads::BoundedCompare}},
      {"strcasecmp", {Shape::PP, Reads::CompareFolded}},
      {"strncasecmp", {Shape::PPN, Reads::BoundedCompareFolded}},
      {"memcmp", {Shape::PPN, Reads::CompareBytes}},
      {"bcmp", {Shape::PPN, Reads::CompareBytes}},
      {"strspn", {Shape::PP, Reads::Span}},
      {"strcspn", {Shape::PP, Reads::OtherSpan}},
      {"strpbrk", {Shape::PP, Reads::OtherSpan}},
      {"strstr", {Shape::PP, Reads::Search}},
  };
  return Table;
}

bool fits(const FunctionType &Type, Shape Arguments, bool IsChecked) {
  static constexpr std::pair<Shape, StringLiteral> Letters[] = {
      {Shape::P, "P"},   {Shape::PN, "PN"},   {Shape::PP, "PP"},    {Shape::PPN, "PPN"},
      {Shape::PC, "PC"}, {Shape::PCN, "PCN"}, {Shape::PPCN, "PPCN"}};
  StringRef Wanted = find_if(Letters, [&](auto &Entry) { return Entry.first == Arguments; })->second;
  unsigned Further = IsChecked && Type.getNumParams() == Wanted.size() + 1; // the size of the destination
  if (Type.isVarArg() || Type.getNumParams() != Wanted.size() + Further) return false;
  for (auto [Index, Letter] : enumerate(Wanted)) {
    llvm::Type *Parameter = Type.getParamType(Index);
    bool Matches = Letter == 'P' ? Parameter->isPointerTy() && Parameter->getPointerAddressSpace() == 0
                                 : Parameter->isIntegerTy(Letter == 'C' ? 32 : 64);
    if (!Matches) return false;
  }
  return true;
}

const Known *asKnown(const Function &F) {
  StringRef Name = F.getName();
  auto Found = knownFunctions().find(Name);
  // musl's own names for some of them: __strchrnul.
  if (Found == knownFunctions().end() && cLibrary() == CLibrary::Itself && Name.consume_front("__"))
    Found = knownFunctions().find(Name);
  bool Fits = Found != knownFunctions().end() &&
              fits(*F.getFunctionType(), Found->second.Arguments, F.getName().ends_with("_chk"));
  return Fits ? &Found->second : nullptr;
}

class Accesses {
public:
  explicit Accesses(const CallBase &Call) : Call(Call) {}

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
    }
    return std::move(Slots);
  }

private:
  // Numbers of arguments; -1: there is none.
  MeasuredBytes by(dprof_measure How, int A, int B = -1, int Limit = -1) const {
    auto argument = [&](int Number) -> Value * { return Number < 0 ? nullptr : Call.getArgOperand(Number); };
    return {How, argument(A), argument(B), argument(Limit), 0};
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

  // Into the first argument, `Behind` bytes and `Plus` on.
  void store(MeasuredBytes Length, MeasuredBytes Behind, int Plus) {
    AccessSlot &Slot = add(DPROF_SLOT_FILL, 0, Length);
    Slot.MeasuredOffset = Behind;
    Slot.MeasuredOffset->Plus = Plus;
  }

  void compare(MeasuredBytes Length) {
    scan(0, Length);
    scan(1, Length);
  }

  void searchFor(dprof_measure How) {
    scan(1, by(DPROF_MEASURE_STRING, 1));
    scan(0, by(How, 0, 1));
  }

  const CallBase &Call;
  SmallVector<AccessSlot, 2> Slots;
};

} // namespace

bool isStringFunction(const Function &F) { return asKnown(F); }

bool isStringFunctionName(StringRef Name) { return knownFunctions().contains(Name); }

bool isBlockFunction(const Function &F) {
  return StringSwitch<bool>(F.getName())
      .Cases("memcpy", "memmove", "mempcpy", "memset", "bcopy", "bzero", "explicit_bzero", true)
      .Default(false);
}

SmallVector<AccessSlot, 2> stringAccesses(const CallBase &Call, const Function &Callee) {
  const Known *Function = asKnown(Callee);
  // Told that its names mean nothing, a program may mean something else by them.
  const llvm::Function &Caller = *Call.getFunction();
  bool AreKnown = cLibrary() == CLibrary::Itself;
  if (!AreKnown && (Call.isNoBuiltin() || Caller.hasFnAttribute("no-builtins") ||
                    Caller.hasFnAttribute(("no-builtin-" + Callee.getName()).str())))
    return {};
  return Function && Call.getFunctionType() == Callee.getFunctionType() ? Accesses(Call).of(Function->What)
                                                                        : SmallVector<AccessSlot, 2>();
}

} // namespace dprof
