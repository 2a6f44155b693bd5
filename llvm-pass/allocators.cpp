// Stage: plugin. The program's own allocators and locks: a description file -> which functions hand out memory or take
// it back, which acquire or release a lock, by which arguments.
#include "allocators.h"

#include "dprof/abi.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include <cstdlib>

using namespace llvm;

namespace dprof {

namespace {

constexpr int MostArguments = 255;

// -- YAML: a list of maps from one of these keys to a name or number

class YamlReader {
public:
  YamlReader(StringRef Text, std::string &Error) : Error(Error), Input(Text, Sources) {
    Sources.setDiagHandler(
        [](const SMDiagnostic &Said, void *Context) {
          auto &Error = *static_cast<std::string *>(Context);
          if (Error.empty()) Error = (Twine(Said.getLineNo()) + ": " + Said.getMessage()).str();
        },
        &Error);
  }

  std::vector<Allocator> read() {
    for (auto Document = Input.begin(); Document != Input.end() && Error.empty(); ++Document) {
      yaml::Node *Root = Document->getRoot();
      if (!Root || isa<yaml::NullNode>(Root)) continue;
      auto *List = dyn_cast<yaml::SequenceNode>(Root);
      if (!List) {
        fail(*Root, "expected a list of allocators, each beginning with '- function: NAME'");
        break;
      }
      for (yaml::Node &Entry : *List)
        if (Error.empty()) one(Entry);
    }
    return std::move(All);
  }

private:
  void fail(yaml::Node &Where, const Twine &What) {
    if (Error.empty()) Input.printError(&Where, What);
  }

  void one(yaml::Node &Entry) {
    auto *Map = dyn_cast<yaml::MappingNode>(&Entry);
    if (!Map) return fail(Entry, "expected 'function: NAME' and what its arguments are");
    StringMap<std::string> Values;
    for (yaml::KeyValueNode &Pair : *Map) {
      auto *Key = dyn_cast_or_null<yaml::ScalarNode>(Pair.getKey());
      auto *Value = dyn_cast_or_null<yaml::ScalarNode>(Pair.getValue());
      if (!Key || !Value) return fail(Entry, "expected keys with one value each");
      SmallString<32> KeyText, ValueText;
      StringRef Word = Key->getValue(KeyText);
      if (!take(Word, Value->getValue(ValueText).str(), Values))
        return fail(*Value, "can not read '" + Word + "': " + hint(Word));
    }
    if (!Error.empty()) return;
    if (!Values.count("function")) return fail(Entry, "an allocator has no 'function: NAME'");
    Allocator Found(*NamePattern::parse(Values["function"]));
    auto number = [&](StringRef Key) { return Values.count(Key) ? std::atoi(Values[Key].c_str()) : -1; };
    Found.Size = number("size");
    Found.Count = number("count");
    Found.Alignment = number("alignment");
    Found.Pool = number("pool");
    Found.Out = number("out");
    Found.Bytes = Values.count("bytes") ? std::strtoull(Values["bytes"].c_str(), nullptr, 0) : 0;
    Found.Type = Values.lookup("type");
    Found.Succeeds = StringSwitch<Allocator::Success>(Values.lookup("success"))
                         .Case("zero", Allocator::Zero)
                         .Case("nonzero", Allocator::NonZero)
                         .Default(Allocator::NotNull);
    unsigned Roles = 0;
    for (StringRef Role : {"frees", "reallocates", "frees-pool", "acquires", "releases"}) Roles += Values.count(Role);
    if (Roles > 1) return fail(Entry, "one of frees, reallocates, frees-pool, acquires and releases, not several");
    if (Values.count("frees")) {
      Found.What = Allocator::Free;
      Found.Pointer = number("frees");
    } else if (Values.count("reallocates")) {
      Found.What = Allocator::Reallocate;
      Found.Pointer = number("reallocates");
    } else if (Values.count("frees-pool")) {
      Found.What = Allocator::FreePool;
      Found.Pool = number("frees-pool");
    } else if (Values.count("acquires") || Values.count("releases")) {
      Found.What = Values.count("acquires") ? Allocator::Acquire : Allocator::Release;
      Found.Pointer = number(Values.count("acquires") ? "acquires" : "releases");
      Found.Lock = lockKind(Values.lookup("lock"));
    }
    All.push_back(std::move(Found));
  }

  // 0: there is no such kind.
  static unsigned lockKind(StringRef Name) {
    return StringSwitch<unsigned>(Name)
        .Cases("", "mutex", DPROF_SYNC_MUTEX)
        .Case("rwlock", DPROF_SYNC_RWLOCK)
        .Case("spinlock", DPROF_SYNC_SPINLOCK)
        .Case("semaphore", DPROF_SYNC_SEMAPHORE)
        .Default(0);
  }

  static bool take(StringRef Key, std::string Value, StringMap<std::string> &Values) {
    enum Kind { None, Argument, Bytes, Text, Glob, Success, Lock };
    Kind Is = StringSwitch<Kind>(Key)
                  .Cases("size", "count", "alignment", "pool", "out", "frees", "reallocates", "frees-pool", Argument)
                  .Cases("acquires", "releases", Argument)
                  .Case("lock", Lock)
                  .Case("bytes", Bytes)
                  .Case("type", Text)
                  .Case("function", Glob)
                  .Case("success", Success)
                  .Default(None);
    uint64_t Number = 0;
    bool IsNumber = !StringRef(Value).getAsInteger(0, Number);
    bool Fits = (Is == Argument && IsNumber && Number <= MostArguments) || (Is == Bytes && IsNumber && Number) ||
                (Is == Text && !Value.empty()) || (Is == Glob && !Value.empty() && NamePattern::parse(Value)) ||
                (Is == Success && (Value == "zero" || Value == "nonzero")) ||
                (Is == Lock && !Value.empty() && lockKind(Value));
    return Fits && Values.try_emplace(Key, std::move(Value)).second;
  }

  static std::string hint(StringRef Key) {
    return StringSwitch<std::string>(Key)
        .Case("function", "expected a name or glob, once")
        .Case("type", "expected the name of a type, once")
        .Case("bytes", "expected a number of bytes, once")
        .Case("success", "expected zero or nonzero, once")
        .Cases("size", "count", "alignment", "pool", "out", "frees", "reallocates", "frees-pool",
               "expected the number of an argument, from 0 on, once")
        .Cases("acquires", "releases", "expected the number of an argument, from 0 on, once")
        .Case("lock", "expected mutex, rwlock, spinlock or semaphore, once")
        .Default("there are function, size, count, alignment, pool, out, bytes, type, success, frees, reallocates, "
                 "frees-pool, acquires, releases and lock");
  }

  std::string &Error;
  SourceMgr Sources;
  yaml::Stream Input;
  std::vector<Allocator> All;
};

// -- alloc.in: "function number size address", the numbers of arguments, -1 for none; "#" comments; "!" names a macro,
// which no call has

std::vector<Allocator> parseLines(StringRef Text, std::string &Error) {
  std::vector<Allocator> All;
  SmallVector<StringRef, 64> Lines;
  Text.split(Lines, '\n');
  for (size_t At = 0; At < Lines.size(); ++At) {
    StringRef Line = Lines[At].trim();
    if (Line.empty() || Line.starts_with("#") || Line.starts_with("!")) continue;
    SmallVector<StringRef, 8> Words;
    SplitString(Line, Words);
    int Numbers[3];
    bool Fits = Words.size() == 4;
    for (unsigned I = 0; Fits && I < 3; ++I)
      Fits = !Words[I + 1].getAsInteger(10, Numbers[I]) && Numbers[I] >= -1 && Numbers[I] <= MostArguments;
    std::optional<NamePattern> Name = Fits ? NamePattern::parse(Words[0]) : std::nullopt;
    if (!Name) {
      Error = (Twine(At + 1) + ": expected 'function number size address', each the number of an argument or -1").str();
      return {};
    }
    Allocator Found(*Name);
    Found.Count = Numbers[0];
    Found.Size = Numbers[1];
    Found.Out = Numbers[2];
    Found.Succeeds = Found.Out >= 0 ? Allocator::Zero : Allocator::NotNull;
    All.push_back(std::move(Found));
  }
  return All;
}

// Whether the first line with content has four words, none of which is a key.
bool isLines(StringRef Text) {
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    Line = Line.trim();
    if (Line.empty() || Line.starts_with("#")) continue;
    return !Line.starts_with("-") && !Line.contains(':') && !Line.starts_with("[") && !Line.starts_with("{") &&
           !Line.starts_with("%");
  }
  return false;
}

bool fits(const Allocator &A, Type *Result, ArrayRef<Type *> Arguments) {
  auto has = [&](int Argument, bool IsPointer) {
    if (Argument < 0) return true;
    if (unsigned(Argument) >= Arguments.size()) return false;
    Type *T = Arguments[Argument];
    return IsPointer ? T->isPointerTy() : T->isIntegerTy() && T->getIntegerBitWidth() <= 64;
  };
  bool Gives = A.What == Allocator::Allocate || A.What == Allocator::Reallocate;
  bool GivesAddress = !Gives || A.Out >= 0 || Result->isPointerTy();
  bool Asked = A.Out >= 0 || A.What == Allocator::Acquire;
  bool Tells = A.Succeeds == Allocator::NotNull || !Asked || Result->isIntegerTy();
  return GivesAddress && Tells && has(A.Size, false) && has(A.Count, false) && has(A.Pool, true) && has(A.Out, true) &&
         has(A.Pointer, true);
}

} // namespace

std::vector<Allocator> parseAllocators(StringRef Text, std::string &Error) {
  return isLines(Text) ? parseLines(Text, Error) : YamlReader(Text, Error).read();
}

Allocators::Allocators(Module &M) {
  for (const char *Variable : {"DPROF_ALLOCATORS", "DPROF_LOCKS"})
    if (const char *Paths = std::getenv(Variable); Paths && *Paths) addAll(Paths, M.getContext());
}

void Allocators::addAll(const char *Paths, LLVMContext &C) {
  SmallVector<StringRef, 4> Parts;
  StringRef(Paths).split(Parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (sys::fs::exists(Paths)) Parts = {Paths}; // a file whose name has a comma
  for (StringRef Part : Parts) add(Part, C);
}

// A file, or the name of a description that comes with dprof.
void Allocators::add(StringRef Path, LLVMContext &C) {
  StringRef Ready = readyAllocators(Path);
  auto Text = Ready.empty() ? MemoryBuffer::getFile(Path, /*IsText=*/true) : MemoryBuffer::getMemBuffer(Ready);
  if (!Text) {
    C.emitError("dprof: can not read the description of allocators " + Twine(Path) + ": " + Text.getError().message());
    return;
  }
  std::string Error;
  std::vector<Allocator> More = parseAllocators((*Text)->getBuffer(), Error);
  if (Error.empty())
    All.insert(All.end(), More.begin(), More.end());
  else
    C.emitError("dprof: " + Twine(Path) + ":" + Error + " (docs/allocators.md says what may stand there)");
}

const Allocator *Allocators::named(const Function &F) {
  auto [Entry, New] = Known.try_emplace(&F, nullptr);
  if (New) {
    auto Names = namesOf(F);
    for (const Allocator &A : All)
      if (A.Name.matchesAny(Names)) {
        Entry->second = &A;
        break;
      }
  }
  return Entry->second;
}

const Allocator *Allocators::find(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (All.empty() || !Callee || Callee->isIntrinsic() || asAllocationCall(Call)) return nullptr;
  const Allocator *Named = named(*Callee);
  SmallVector<Type *, 8> Arguments;
  for (const Use &Argument : Call.args()) Arguments.push_back(Argument->getType());
  return Named && fits(*Named, Call.getType(), Arguments) ? Named : nullptr;
}

const Allocator *Allocators::find(const Function &Defined) {
  if (All.empty() || Defined.isDeclaration() || isAllocationName(Defined)) return nullptr;
  const Allocator *Named = named(Defined);
  return Named && fits(*Named, Defined.getReturnType(), Defined.getFunctionType()->params()) ? Named : nullptr;
}

} // namespace dprof
