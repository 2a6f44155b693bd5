// Stage: plugin, "decide". The parts of the program that the user wants recorded: functions, source files and types, by
// name or glob. docs/choosing.md explains them.
#include "selection.h"

#include "version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace llvm;

namespace dprof {

Selection::Selection(Module &M) : M(M), OpenMp(M) {
  read("DPROF_ONLY", Only);
  read("DPROF_SKIP", Skip);
  const char *Files = std::getenv("DPROF_LIST");
  std::vector<std::string> Paths;
  for (StringRef Path : split(Files ? Files : "", '\n'))
    if (!Path.empty()) Paths.push_back(Path.str());
  if (Paths.empty()) return;
  std::string Error;
  List = readLists(Paths, Error);
  if (!List)
    M.getContext().emitError("dprof: " + StringRef(Error).rtrim() +
                             " (docs/choosing.md says what may stand in a list)");
}

void Selection::read(const char *Variable, std::vector<Wish> &Into) {
  const char *Text = std::getenv(Variable);
  for (StringRef Line : split(Text ? Text : "", '\n')) {
    if (Line.empty()) continue;
    StringRef Kind = "fun", Glob = Line;
    for (StringRef Prefix : {"fun:", "src:", "type:"})
      if (Glob.consume_front(Prefix)) Kind = Prefix.drop_back();
    if (auto Pattern = NamePattern::parse(Glob); Pattern && !Glob.empty())
      Into.push_back({Kind.str(), *Pattern});
    else
      M.getContext().emitError("dprof: '" + Line + "' is no name or glob (*, ?, [a-z], {one,other}; docs/choosing.md)");
  }
}

bool Selection::any(const std::vector<Wish> &Wishes, StringRef Kind, ArrayRef<std::string> Names) {
  return any_of(Wishes, [&](const Wish &W) { return W.Kind == Kind && W.Pattern.matchesAny(Names); });
}

bool Selection::has(const std::vector<Wish> &Wishes, StringRef Kind) {
  return any_of(Wishes, [&](const Wish &W) { return W.Kind == Kind; });
}

bool Selection::isListed(StringRef Kind, ArrayRef<std::string> Names) const {
  return List && any_of(Names, [&](const std::string &Name) { return List->inSection("dprof", Kind, Name); });
}

namespace {

// As it was given to the compiler, its last part, and where it lies.
SmallVector<std::string, 3> namesOfFile(StringRef File, StringRef Directory) {
  SmallVector<std::string, 3> Names{File.str(), sys::path::filename(File).str()};
  if (!sys::path::is_absolute(File) && !Directory.empty()) Names.push_back((Directory + "/" + File).str());
  return Names;
}

} // namespace

// A region or task belongs to its function of the source, by whose name it is chosen too.
bool Selection::wantsLinesOf(const Function &F, const DISubprogram *Own) {
  auto [Entry, New] = Known.try_emplace(Own ? static_cast<const void *>(Own) : &F, true);
  if (!New) return Entry->second;
  SmallVector<std::string, 6> Names;
  if (!Own || Own == F.getSubprogram()) {
    Names.append(namesOf(F));
  } else {
    StringRef Linked = Own->getLinkageName().empty() ? Own->getName() : Own->getLinkageName();
    Names.append(namesOf(Linked));
  }
  if (const DISubprogram *Source = OpenMp.of(Own).Source)
    Names.append(namesOf(Source->getLinkageName().empty() ? Source->getName() : Source->getLinkageName()));
  auto Files = Own ? namesOfFile(Own->getFilename(), Own->getDirectory()) : namesOfFile(M.getSourceFileName(), "");
  bool IsChosen = !(has(Only, "fun") || has(Only, "src")) || any(Only, "fun", Names) || any(Only, "src", Files);
  bool IsSkipped =
      any(Skip, "fun", Names) || any(Skip, "src", Files) || isListed("fun", Names) || isListed("src", Files);
  return Known[Own ? static_cast<const void *>(Own) : &F] = IsChosen && !IsSkipped;
}

bool Selection::wantsType(StringRef Name) const {
  SmallVector<std::string, 2> Names{Name.str()};
  for (StringRef Keyword : {"struct ", "union ", "class "})
    if (Name.starts_with(Keyword)) Names.push_back(Name.drop_front(Keyword.size()).str());
  bool IsChosen = !has(Only, "type") || any(Only, "type", Names);
  return IsChosen && !any(Skip, "type", Names) && !isListed("type", Names);
}

void Selection::apply(Function &F, FunctionPlan &Plan, const UnitWriter &Unit, Statistics &Counts) {
  if (isAll()) return;
  std::vector<Segment> Kept;
  for (Segment &Part : Plan.Segments) {
    Segment Rest;
    Rest.Instructions = Part.Instructions;
    Rest.Enters = Part.Enters;
    Rest.Leaves = Part.Leaves;
    Instruction *Last = Part.Accesses.back().I;
    auto Slot = Part.Described.begin();
    for (SegmentAccess &Access : Part.Accesses) {
      auto End = Slot + Access.Slots.size();
      const DILocation *Where = Access.Slots[0].IsArgument ? nullptr : Access.I->getDebugLoc().get();
      const DISubprogram *Own = Where ? Where->getScope()->getSubprogram() : F.getSubprogram();
      bool WantsLine = wantsLinesOf(F, Own);
      bool WantsType =
          any_of(make_range(Slot, End), [&](const dprof_slot &S) { return wantsType(Unit.typeName(S.type)); });
      if ((WantsLine && WantsType) || Access.Slots.back().isAtomic()) {
        Rest.Described.insert(Rest.Described.end(), Slot, End);
        Rest.Accesses.push_back(std::move(Access));
      } else {
        ++Counts.Skipped[WantsLine ? "type that was not chosen" : "function or file that was not chosen"];
        Counts.Accesses -= Access.Slots.size();
      }
      Slot = End;
    }
    if (!Rest.Accesses.empty()) {
      Kept.push_back(std::move(Rest));
      continue;
    }
    Plan.HasEntryMarker |= Rest.Enters;
    if (Rest.Leaves) Plan.Exits.push_back(Last->getParent()->getTerminator());
  }
  Plan.Segments = std::move(Kept);
  if (!Plan.Segments.empty() || wantsLinesOf(F, F.getSubprogram())) return;
  // Not even its entry and exit; what it allocates stays known.
  ++Counts.SkippedFunctions["function or file that was not chosen"];
  Plan.HasEntryMarker = false;
  Plan.Exits.clear();
  Plan.Objects.clear();
  Plan.DescribedObjects.clear();
  Plan.Arguments.clear();
  Plan.DescribedArguments.clear();
}

} // namespace dprof
