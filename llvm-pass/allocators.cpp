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

// -- YAML: a list of maps from one of these keys to a name, number or path; `types` has a map

class YamlReader {
public:
  YamlReader(StringRef Text, StringRef File, std::string &Error) : Error(Error), File(File), Input(Text, Sources) {
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
    for (auto &[Giver, Line] : Givers)
      if (none_of(All, [&](const Allocator &A) { return A.Name.matches(Giver); }))
        fail(Line, "'given-by' names no entry of this file: " + Giver);
    return std::move(All);
  }

private:
  void fail(yaml::Node &Where, const Twine &What) {
    if (Error.empty()) Input.printError(&Where, What);
  }

  void fail(unsigned Line, const Twine &What) {
    if (Error.empty()) Error = (Twine(Line) + ": " + What).str();
  }

  void one(yaml::Node &Entry) {
    auto *Map = dyn_cast<yaml::MappingNode>(&Entry);
    if (!Map) return fail(Entry, "expected 'function: NAME' and what its arguments are");
    unsigned First = Sources.getLineAndColumn(Entry.getSourceRange().Start).first;
    StringMap<std::string> Values;
    StringMap<unsigned> Lines;
    NamedTypes Named;
    for (yaml::KeyValueNode &Pair : *Map) {
      auto *Key = dyn_cast_or_null<yaml::ScalarNode>(Pair.getKey());
      SmallString<32> TypesText;
      if (auto *Types = dyn_cast_or_null<yaml::MappingNode>(Key ? Pair.getValue() : nullptr);
          Types && Key->getValue(TypesText) == "types") {
        if (!Named.empty()) return fail(*Key, "can not read 'types': expected a map of names to types, once");
        if (!names(*Types, Named)) return;
        continue;
      }
      auto *Value = dyn_cast_or_null<yaml::ScalarNode>(Pair.getValue());
      if (!Key || !Value) return fail(Entry, "expected keys with one value each");
      SmallString<32> KeyText, ValueText;
      StringRef Word = Key->getValue(KeyText);
      if (!take(Word, Value->getValue(ValueText).str(), Values))
        return fail(*Value, "can not read '" + Word + "': " + hint(Word));
      Lines[Word] = Sources.getLineAndColumn(Value->getSourceRange().Start).first;
    }
    if (!Error.empty()) return;
    if (!Values.count("function")) return fail(Entry, "an allocator has no 'function: NAME'");
    Allocator Found(*NamePattern::parse(Values["function"]));
    auto number = [&](StringRef Key) { return Values.count(Key) ? std::atoi(Values[Key].c_str()) : -1; };
    auto path = [&](StringRef Key) {
      auto Path = Values.count(Key) ? *ArgumentPath::parse(Values[Key]) : ArgumentPath();
      Path.Line = Lines.lookup(Key);
      return Path;
    };
    Found.File = File.str();
    Found.Size = path("size");
    Found.Count = path("count");
    Found.Alignment = number("alignment");
    Found.Pool = path("pool");
    Found.Out = path("out");
    Found.Shift = number("shift");
    Found.Each = number("each");
    Found.NamedBy = path("name");
    Found.Named = std::move(Named);
    Found.Table = Values.lookup("table");
    Found.Memory = Values.lookup("memory");
    Found.Unit = Values.count("unit") ? std::strtoull(Values["unit"].c_str(), nullptr, 0) : 0;
    Found.Bytes = Values.count("bytes") ? std::strtoull(Values["bytes"].c_str(), nullptr, 0) : 0;
    Found.Type = Values.lookup("type");
    Found.AtEntry = Values.lookup("when") == "entry";
    Found.GivenBy = Values.lookup("given-by");
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
      Found.Pool = path("frees-pool");
    } else if (Values.count("acquires") || Values.count("releases")) {
      Found.What = Values.count("acquires") ? Allocator::Acquire : Allocator::Release;
      Found.Pointer = number(Values.count("acquires") ? "acquires" : "releases");
      Found.Lock = lockKind(Values.lookup("lock"));
    }
    StringRef Lacks = lackOf(Found);
    if (!Lacks.empty()) return fail(First, Lacks);
    if (!Found.GivenBy.empty()) Givers.emplace_back(Found.GivenBy, Lines.lookup("given-by"));
    All.push_back(std::move(Found));
  }

  using NamedTypes = decltype(Allocator::Named);

  // name: type
  bool names(yaml::MappingNode &Map, NamedTypes &Named) {
    for (yaml::KeyValueNode &Pair : Map) {
      auto *Key = dyn_cast_or_null<yaml::ScalarNode>(Pair.getKey());
      auto *Value = dyn_cast_or_null<yaml::ScalarNode>(Pair.getValue());
      SmallString<32> KeyText, ValueText;
      std::string Name = Key ? Key->getValue(KeyText).str() : "", Type = Value ? Value->getValue(ValueText).str() : "";
      bool IsNew = none_of(Named, [&](auto &Known) { return Known.first == Name; });
      if (Name.empty() || Type.empty() || !IsNew) {
        fail(Key ? *Key : static_cast<yaml::Node &>(Map), "can not read 'types': expected NAME: TYPE, each name once");
        return false;
      }
      Named.emplace_back(std::move(Name), std::move(Type));
    }
    return Error.empty();
  }

  // Says which key an entry lacks beside another that needs it; empty if it is whole.
  static StringRef lackOf(const Allocator &A) {
    if (A.NamedBy.isGiven() != !A.Named.empty())
      return "'name' and 'types' belong together: what says the name, and "
             "a map of names to types";
    unsigned Table = !A.Table.empty() + !A.Memory.empty() + (A.Unit != 0);
    if (Table && Table != 3)
      return "'table', 'memory' and 'unit' belong together: pointers into the table stand for "
             "units of the memory";
    if (A.Shift >= 0 && !A.Bytes) return "'shift' needs 'bytes': the size is bytes << argument";
    if (A.Shift >= 0 && A.Size.isGiven()) return "'size' or 'shift', not both";
    if (A.Each >= 0 && A.What != Allocator::Free &&
        (A.What != Allocator::Allocate || !A.Out.isGiven() || A.Out.isField()))
      return "'each' needs 'out' or 'frees': the argument that points to the addresses";
    if (A.AtEntry && (A.What != Allocator::Allocate || !A.Out.isGiven() || A.Succeeds != Allocator::NotNull))
      return "'when: entry' needs 'out', where the address stands at the call, and knows of no success";
    bool HandsOn = A.What == Allocator::Allocate && !A.Out.isGiven() && A.Table.empty() && !A.Pool.isGiven() &&
                   !A.Bytes && !A.AtEntry;
    if (!A.GivenBy.empty() && !HandsOn)
      return "'given-by' goes with size, count, type, name and types: the other entry says the rest";
    return "";
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
    enum Kind { None, Argument, Path, Bytes, Text, Symbol, Glob, Success, Moment, Lock };
    Kind Is = StringSwitch<Kind>(Key)
                  .Cases("alignment", "shift", "each", "frees", "reallocates", "acquires", "releases", Argument)
                  .Cases("size", "count", "pool", "frees-pool", "name", "out", Path)
                  .Cases("table", "memory", Symbol)
                  .Case("unit", Bytes)
                  .Case("lock", Lock)
                  .Case("bytes", Bytes)
                  .Cases("type", "given-by", Text)
                  .Case("function", Glob)
                  .Case("when", Moment)
                  .Case("success", Success)
                  .Default(None);
    uint64_t Number = 0;
    bool IsNumber = !StringRef(Value).getAsInteger(0, Number);
    bool Fits = (Is == Argument && IsNumber && Number <= MostArguments) || (Is == Bytes && IsNumber && Number) ||
                (Is == Path && ArgumentPath::parse(Value)) || (Is == Symbol && isSymbol(Value)) ||
                (Is == Text && !Value.empty()) || (Is == Glob && !Value.empty() && NamePattern::parse(Value)) ||
                (Is == Success && (Value == "zero" || Value == "nonzero")) ||
                (Is == Moment && (Value == "entry" || Value == "return")) ||
                (Is == Lock && !Value.empty() && lockKind(Value));
    return Fits && Values.try_emplace(Key, std::move(Value)).second;
  }

  static bool isSymbol(StringRef Text) {
    return !Text.empty() && all_of(Text, [](char C) { return isAlnum(C) || C == '_' || C == '.' || C == '$'; });
  }

  static std::string hint(StringRef Key) {
    return StringSwitch<std::string>(Key)
        .Case("function", "expected a name or glob, once")
        .Case("type", "expected the name of a type, once")
        .Case("bytes", "expected a number of bytes, once")
        .Case("success", "expected zero or nonzero, once")
        .Cases("alignment", "shift", "each", "frees", "reallocates", "acquires", "releases",
               "expected the number of an argument, from 0 on, once")
        .Cases("size", "count", "pool", "frees-pool", "name", "out",
               "expected the number of an argument, from 0 on, or a field that it leads to, as 0->cache.size, once")
        .Cases("table", "memory", "expected the name of a global variable, once")
        .Case("given-by", "expected the name of another entry's function, once")
        .Case("when", "expected entry or return, once")
        .Case("unit", "expected a number of bytes, once")
        .Case("types", "expected a map of names to types, as {tcp: struct tcp_sock}, once")
        .Case("lock", "expected mutex, rwlock, spinlock or semaphore, once")
        .Default("there are function, size, count, alignment, pool, out, each, when, given-by, bytes, shift, type, "
                 "name, types, success, frees, reallocates, frees-pool, table, memory, unit, acquires, releases and "
                 "lock");
  }

  std::string &Error;
  StringRef File;
  SourceMgr Sources;
  yaml::Stream Input;
  std::vector<Allocator> All;
  std::vector<std::pair<std::string, unsigned>> Givers; // what `given-by` names, and the line
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
    Found.Count.Argument = Numbers[0];
    Found.Size.Argument = Numbers[1];
    Found.Out.Argument = Numbers[2];
    Found.Succeeds = Found.Out.isGiven() ? Allocator::Zero : Allocator::NotNull;
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
  auto hasPath = [&](const ArgumentPath &Path, bool IsPointer) {
    return has(Path.Argument, IsPointer || Path.isField());
  };
  // An address may be passed as a number: `unsigned long`.
  auto isAddress = [](Type *T) { return T->isPointerTy() || T->isIntegerTy(64); };
  auto hasAddress = [&](int Argument) {
    return Argument < 0 || (unsigned(Argument) < Arguments.size() && isAddress(Arguments[Argument]));
  };
  bool IsLock = A.What == Allocator::Acquire || A.What == Allocator::Release;
  bool GivesAddress = !A.gives() || A.Out.isGiven() || isAddress(Result);
  bool Asked = A.Out.isGiven() || A.What == Allocator::Acquire;
  bool Tells = A.Succeeds == Allocator::NotNull || !Asked || Result->isIntegerTy();
  bool TakesAddress = IsLock || A.Each >= 0 ? has(A.Pointer, true) : hasAddress(A.Pointer);
  return GivesAddress && Tells && TakesAddress && hasPath(A.Size, false) && hasPath(A.Count, false) &&
         hasPath(A.Pool, true) && hasPath(A.NamedBy, true) && has(A.Shift, false) && has(A.Each, false) &&
         hasPath(A.Out, true);
}

} // namespace

std::vector<Allocator> parseAllocators(StringRef Text, StringRef File, std::string &Error) {
  return isLines(Text) ? parseLines(Text, Error) : YamlReader(Text, File, Error).read();
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
  std::vector<Allocator> More = parseAllocators((*Text)->getBuffer(), Path, Error);
  if (Error.empty())
    All.insert(All.end(), More.begin(), More.end());
  else
    C.emitError("dprof: " + Twine(Path) + ":" + Error + " (docs/allocators.md says what may stand there)");
}

void Allocators::refuse(const Allocator &What, const ArgumentPath &Path, StringRef Why, LLVMContext &C) {
  std::string Place = What.File + ":" + std::to_string(Path.Line);
  if (!Refused.insert(Place).second) return;
  C.emitError("dprof: " + Place + ": " + Why + " (docs/allocators.md says what may stand there)");
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
