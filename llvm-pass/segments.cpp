// Stage: plugin. The blocks of a function -> segments, function boundaries and allocation sites, before anything is
// changed.
#include "segments.h"

#include "blocks.h"
#include "by_value.h"
#include "limits.h"
#include "values.h"
#include "version.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include <cstdlib>

using namespace llvm;

namespace dprof {

unsigned Segment::words() const {
  unsigned Words = 0;
  for (const SegmentAccess &Access : Accesses)
    for (const AccessSlot &Slot : Access.Slots) Words += Slot.words();
  return Words;
}

namespace {

// Inline assembly that may do anything to memory may switch to another stack, or call the program's own code: its paths
// should be whole.
bool isForeignCode(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  auto *Assembly = Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
  return Assembly && Assembly->hasSideEffects() && I.mayWriteToMemory() && !Assembly->getAsmString().empty();
}

// -fdprof-locals. A variable whose address stays in its function needs no object where its frame is on a thread's own
// stack: nothing else lies there. A stack in memory of the program's own is in an object of that.
bool wantsLocals() {
  const char *Wanted = std::getenv("DPROF_LOCALS");
  return Wanted && StringRef(Wanted) == "1";
}

// The plan of one block: its segments, and the instruction count if it has none.
struct BlockPlan {
  std::vector<Segment> Segments;
  uint64_t Unclaimed = 0;
  bool HasEnd = false;            // some call or atomic ended a stretch
  bool FirstIsUnpreceded = false; // no ending call before the first segment
  bool LastIsOpen = false;        // nothing ends the last segment but the block
};

class Planner {
public:
  Planner(Function &F, const DataLayout &Layout, Statistics &Counts) : F(F), Layout(Layout), Counts(Counts) {}

  FunctionPlan plan() {
    findObjects(); // takes instructions away, which no segment may begin at
    for (BasicBlock &Block : F) Blocks[&Block] = planBlock(Block);
    for (BasicBlock &Block : F) handOn(Block);
    if (wantsArguments()) Plan.Arguments = argumentValues(F);
    bool HasWork = !Plan.Sites.empty() || !Plan.Objects.empty() || !Plan.Arguments.empty() || CallsOut || wantsBlocks();
    for (auto &[Block, Parts] : Blocks) HasWork |= !Parts.Segments.empty();
    if (HasWork) planBoundaries();
    for (BasicBlock &Block : F)
      for (Segment &Part : Blocks[&Block].Segments) Plan.Segments.push_back(std::move(Part));
    return std::move(Plan);
  }

private:
  BlockPlan planBlock(BasicBlock &Block) {
    BlockPlan Parts;
    Segment Open;
    SmallVector<Instruction *, 2> Foreign; // since the last access: inside a segment nothing can be done about it
    auto cutAtForeign = [&] {
      Plan.Cuts.insert(Plan.Cuts.end(), Foreign.begin(), Foreign.end());
      Foreign.clear();
    };
    auto close = [&](bool Ended) {
      cutAtForeign();
      if (!Open.Accesses.empty()) {
        if (Parts.Segments.empty()) Parts.FirstIsUnpreceded = !Parts.HasEnd;
        Parts.Segments.push_back(std::move(Open));
        Open = Segment();
        Parts.LastIsOpen = !Ended;
      } else if (Ended) {
        Parts.LastIsOpen = false;
      }
      Parts.HasEnd |= Ended;
    };
    if (&Block == &F.getEntryBlock())
      if (auto Stores = argumentStores(F, Layout); !Stores.empty())
        Open.Accesses.push_back({&*Block.getFirstNonPHIOrDbgOrAlloca(), std::move(Stores), /*MayNotReturn=*/true});
    for (Instruction &I : Block) {
      if (isCounted(I)) ++Open.Instructions;
      Decision Decided = decide(I, Layout);
      if (!Decided.Refusal.empty()) ++Counts.Skipped[Decided.Refusal];
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (auto Site = asAllocationCall(*Call)) Plan.Sites.push_back({Call, *Site});
      bool IsAtomic = !Decided.Slots.empty() && Decided.Slots.back().isAtomic();
      if (Decided.EndsSegment && !IsAtomic) {
        Plan.Cuts.push_back(&I);
        CallsOut |= !isa<IntrinsicInst>(I);
      }
      if (Decided.Slots.empty() && !Decided.EndsSegment && isForeignCode(I)) Foreign.push_back(&I);
      if (!Decided.Slots.empty()) {
        if (Open.Accesses.empty()) cutAtForeign();
        Foreign.clear();
        bool IsCall = isa<CallBase>(I) && !isa<IntrinsicInst>(I);
        Open.Accesses.push_back({&I, std::move(Decided.Slots), IsCall && Decided.EndsSegment});
      }
      if (Decided.EndsSegment)
        close(true);
      else if (Open.words() >= limits::SegmentWords)
        close(false);
    }
    cutAtForeign();
    if (!Open.Accesses.empty())
      close(false);
    else if (!Parts.Segments.empty())
      Parts.Segments.back().Instructions += Open.Instructions;
    else
      Parts.Unclaimed = Open.Instructions;
    return Parts;
  }

  // A block without references gives its count to the only way on, if it is the only way there.
  void handOn(BasicBlock &From) {
    uint64_t Count = Blocks[&From].Unclaimed;
    if (!Count) return;
    for (BasicBlock *Block = &From;;) {
      BasicBlock *Next = Block->getSingleSuccessor();
      if (!Next || Next->getSinglePredecessor() != Block || Next == &From) return;
      if (!Blocks[Next].Segments.empty()) {
        Blocks[Next].Segments.front().Instructions += Count;
        return;
      }
      Block = Next;
    }
  }

  void findObjects() {
    for (Instruction &I : F.getEntryBlock()) {
      auto *Variable = dyn_cast<AllocaInst>(&I);
      if (!Variable || !Variable->isStaticAlloca()) continue;
      if (declaredVariable(Variable) && (wantsLocals() || mayBeCaptured(Variable))) Plan.Objects.push_back(Variable);
    }
    for (AllocaInst *Variable : Plan.Objects) keepApart(*Variable);
  }

  // Without lifetime markers no two variables share a place in the frame: an address belongs to one object.
  static void keepApart(AllocaInst &Variable) {
    SmallVector<Instruction *, 4> Markers;
    for (User *U : Variable.users())
      if (auto *Marker = dyn_cast<IntrinsicInst>(U); Marker && Marker->isLifetimeStartOrEnd())
        Markers.push_back(Marker);
    for (Instruction *Marker : Markers) Marker->eraseFromParent();
  }

  void planBoundaries() {
    BasicBlock &Entry = F.getEntryBlock();
    BlockPlan &First = Blocks[&Entry];
    if (!First.Segments.empty() && First.FirstIsUnpreceded)
      First.Segments.front().Enters = true;
    else
      Plan.HasEntryMarker = true;
    for (BasicBlock &Block : F) {
      Instruction *End = Block.getTerminator();
      if (!isa<ReturnInst>(End) && !isa<ResumeInst>(End)) continue;
      BlockPlan &Parts = Blocks[&Block];
      if (CallInst *Tail = Block.getTerminatingMustTailCall())
        Plan.Exits.push_back(Tail);
      else if (!Parts.Segments.empty() && Parts.LastIsOpen)
        Parts.Segments.back().Leaves = true;
      else
        Plan.Exits.push_back(End);
    }
  }

  Function &F;
  const DataLayout &Layout;
  Statistics &Counts;
  FunctionPlan Plan;
  DenseMap<BasicBlock *, BlockPlan> Blocks;
  bool CallsOut = false;
};

} // namespace

FunctionPlan planFunction(Function &F, const DataLayout &Layout, Statistics &Counts) {
  return Planner(F, Layout, Counts).plan();
}

} // namespace dprof
