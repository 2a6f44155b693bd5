// Stage: plugin. `nw.omp_outlined_debug__`, called by `nw.omp_outlined`, given to the OpenMP runtime by `nw` -> `nw`,
// and the line of `#pragma omp parallel`.
#include "parallel_regions.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace dprof {

namespace {

constexpr char NotesName[] = "dprof.parallel_regions"; // !{subprogram, its source's, line}
constexpr unsigned MostNested = 32;

// What `declare reduction` says is code of its own, whoever uses it.
bool isMadeOfRegion(const Function &F) {
  const DISubprogram *Own = F.getSubprogram();
  if (!Own || !Own->isArtificial() || !F.hasLocalLinkage()) return false;
  StringRef Name = F.getName();
  bool IsDeclared = Name.starts_with(".omp_combiner.") || Name.starts_with(".omp_initializer.");
  return !IsDeclared && (Name.contains(".omp_") || Name.contains(".omp.") || Name.starts_with(".red_"));
}

bool isBody(const Function &F) { return F.getName().contains(".omp_outlined"); }

class DirectiveFinder {
public:
  ParallelRegion find(const Function &F, unsigned Depth = 0) {
    if (!isMadeOfRegion(F)) return {F.getSubprogram(), 0};
    auto [Entry, New] = Found.try_emplace(&F);
    if (!New || Depth > MostNested) return Entry->second;
    ParallelRegion Region;
    for (const User *U : F.users()) {
      auto *By = dyn_cast<Instruction>(U);
      if (!By || By->getFunction() == &F) continue;
      ParallelRegion Around = find(*By->getFunction(), Depth + 1);
      if (!Around.Source) continue;
      auto *Call = dyn_cast<CallBase>(By);
      bool IsSameRegion = Call && Call->getCalledOperand() == &F && isBody(F) && Around.Line;
      Region = {Around.Source, IsSameRegion ? Around.Line : F.getSubprogram()->getLine()};
      break;
    }
    return Found[&F] = Region;
  }

private:
  DenseMap<const Function *, ParallelRegion> Found;
};

} // namespace

void noteParallelRegions(Module &M) {
  DirectiveFinder Finder;
  LLVMContext &C = M.getContext();
  for (const Function &F : M) {
    if (F.isDeclaration() || !isMadeOfRegion(F)) continue;
    ParallelRegion Region = Finder.find(F);
    if (!Region.Source || !Region.Line) continue;
    Metadata *Line = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(C), Region.Line));
    M.getOrInsertNamedMetadata(NotesName)->addOperand(
        MDNode::get(C, {F.getSubprogram(), const_cast<DISubprogram *>(Region.Source), Line}));
  }
}

ParallelRegions::ParallelRegions(const Module &M) {
  const NamedMDNode *Nodes = M.getNamedMetadata(NotesName);
  if (!Nodes) return;
  for (const MDNode *Node : Nodes->operands()) {
    auto *Own = dyn_cast_or_null<DISubprogram>(Node->getOperand(0).get());
    auto *Source = dyn_cast_or_null<DISubprogram>(Node->getOperand(1).get());
    auto *Line = mdconst::dyn_extract_or_null<ConstantInt>(Node->getOperand(2));
    if (Own && Source && Line) Noted[Own] = {Source, unsigned(Line->getZExtValue())};
  }
}

} // namespace dprof
