// Stage: plugin, "decide". Loops that are recorded once for each execution; scalar evolution finds them.
#include "loops.h"

#include "blocks.h"
#include "limits.h"
#include "version.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace dprof {

namespace {

bool isPlain(const SegmentAccess &Access) {
  return !Access.I->isVolatile() && all_of(Access.Slots, [](const AccessSlot &Slot) {
    switch (Slot.Kind) {
      case DPROF_SLOT_LOAD:
      case DPROF_SLOT_STORE:
      case DPROF_SLOT_COPY_LOAD:
      case DPROF_SLOT_COPY_STORE:
      case DPROF_SLOT_FILL: return Slot.SizeBytes != DPROF_SIZE_DYNAMIC && !Slot.IsArgument;
      default: return false;
    }
  });
}

// Address = First + iteration * Step.
struct Evolution {
  const SCEV *Whole, *First, *Step;
};

class LoopFinder {
public:
  LoopFinder(Function &F, const FunctionPlan &Plan)
      : Dominators(F), Loops(Dominators), LibraryImpl(Triple(F.getParent()->getTargetTriple())), Library(LibraryImpl),
        Assumptions(F), Evolutions(F, Library, Assumptions, Dominators, Loops), Costs(F.getParent()->getDataLayout()),
        Expander(expanderOf(Evolutions, F.getParent()->getDataLayout())) {
    for (const Segment &Part : Plan.Segments) SegmentsOf[Part.Accesses.front().I->getParent()].push_back(&Part);
    for (Instruction *Cut : Plan.Cuts) Interrupted.insert(Cut->getParent());
    for (const SitePlan &Site : Plan.Sites) Interrupted.insert(Site.Call->getParent());
  }

  std::vector<LoopPlan> run() {
    std::vector<LoopPlan> Found;
    for (Loop *L : Loops.getLoopsInPreorder())
      if (L->isInnermost() && isSimple(*L))
        if (std::optional<LoopPlan> Plan = plan(*L)) Found.push_back(std::move(*Plan));
    return Found;
  }

private:
  bool isSimple(const Loop &L) const {
    BasicBlock *Latch = L.getLoopLatch();
    if (!Latch || L.getHeader()->isEHPad() || L.hasNoExitBlocks()) return false;
    bool HasRecords = false;
    for (BasicBlock *Block : L.blocks()) {
      if (Interrupted.contains(Block) || !isa<BranchInst, SwitchInst>(Block->getTerminator())) return false;
      auto Own = SegmentsOf.find(Block);
      if (Own == SegmentsOf.end()) {
        // Nothing says in how many iterations it ran.
        if (wantsBlocks() && isBlockOfItsOwn(*Block) && !Dominators.dominates(Block, Latch)) return false;
        continue;
      }
      HasRecords = true;
      if (!Dominators.dominates(Block, Latch)) return false;
      for (const Segment *Part : Own->second)
        if (!all_of(Part->Accesses, isPlain)) return false;
    }
    return HasRecords;
  }

  std::optional<LoopPlan> plan(Loop &L) {
    unsigned MostIterations = Evolutions.getSmallConstantMaxTripCount(&L);
    if (MostIterations && MostIterations < limits::LoopIterations) return std::nullopt;
    LoopPlan Plan;
    for (BasicBlock *Block : L.blocks()) {
      Plan.Blocks.insert(Block);
      if (SegmentsOf.count(Block)) Plan.Order.push_back(Block);
    }
    sort(Plan.Order, [&](BasicBlock *A, BasicBlock *B) { return A != B && Dominators.dominates(A, B); });
    std::vector<Evolution> Addresses;
    if (!evolve(L, Plan, Addresses)) return std::nullopt;
    const SCEV *Iterations = iterationsOf(L);
    prepare(L, Plan);
    for (auto [Address, Found] : zip_equal(Plan.Addresses, Addresses)) {
      if (Address.Base >= 0) continue;
      Address.First = Expander.expandCodeFor(Found.First, Found.First->getType(), Plan.Entering);
      if (Address.Constant == DPROF_STRIDE_LOGGED)
        Address.Stride = Expander.expandCodeFor(Found.Step, Found.Step->getType(), Plan.Entering);
    }
    if (Iterations) Plan.Iterations = Expander.expandCodeFor(Iterations, Iterations->getType(), Plan.Entering);
    return Plan;
  }

  // Whether every address advances by a constant, or lies a constant away from one that does.
  bool evolve(Loop &L, LoopPlan &Plan, std::vector<Evolution> &Addresses) {
    unsigned Logged = 0;
    for (BasicBlock *Block : Plan.Order)
      for (const Segment *Part : SegmentsOf[Block])
        for (const SegmentAccess &Access : Part->Accesses)
          for (const AccessSlot &Slot : Access.Slots) {
            std::optional<Evolution> Found = evolutionOf(Slot.Pointer, L);
            if (!Found) return false;
            Plan.Addresses.push_back(place(*Found, Plan, Addresses));
            Addresses.push_back(*Found);
            Logged += Plan.Addresses.back().Base < 0;
            if (Logged > limits::LoopAddresses) return false;
          }
    return true;
  }

  std::optional<Evolution> evolutionOf(Value *Pointer, Loop &L) {
    const SCEV *Whole = Evolutions.getSCEV(Pointer);
    Evolution Found{Whole, Whole, Evolutions.getZero(Evolutions.getEffectiveSCEVType(Whole->getType()))};
    if (!Evolutions.isLoopInvariant(Whole, &L)) {
      auto *Advancing = dyn_cast<SCEVAddRecExpr>(Whole);
      if (!Advancing || Advancing->getLoop() != &L || !Advancing->isAffine()) return std::nullopt;
      Found = {Whole, Advancing->getStart(), Advancing->getStepRecurrence(Evolutions)};
    }
    Instruction *Near = L.getHeader()->getTerminator();
    if (isCheap(Found.First, L, Near) && isCheap(Found.Step, L, Near)) return Found;
    return std::nullopt;
  }

  bool isCheap(const SCEV *Value, Loop &L, Instruction *Near) {
    return Expander.isSafeToExpand(Value) &&
           !Expander.isHighCostExpansion(Value, &L, limits::LoopExpansion, &Costs, Near);
  }

  LoopAddress place(const Evolution &Found, const LoopPlan &Plan, ArrayRef<Evolution> Before) {
    LoopAddress Address;
    for (unsigned I = 0; I < Before.size(); ++I) {
      if (Plan.Addresses[I].Base >= 0 || Found.Step != Before[I].Step) continue;
      auto *Distance = dyn_cast<SCEVConstant>(Evolutions.getMinusSCEV(Found.Whole, Before[I].Whole));
      if (!Distance || !Distance->getAPInt().isSignedIntN(32)) continue;
      Address.Base = I;
      Address.Constant = Distance->getAPInt().getSExtValue();
      return Address;
    }
    auto *Stride = dyn_cast<SCEVConstant>(Found.Step);
    bool IsSmall =
        Stride && Stride->getAPInt().isSignedIntN(32) && Stride->getAPInt().getSExtValue() != DPROF_STRIDE_LOGGED;
    Address.Constant = IsSmall ? Stride->getAPInt().getSExtValue() : DPROF_STRIDE_LOGGED;
    return Address;
  }

  // Null if they are not known before the loop.
  const SCEV *iterationsOf(Loop &L) {
    if (L.getExitingBlock() != L.getLoopLatch()) return nullptr;
    const SCEV *Repeated = Evolutions.getBackedgeTakenCount(&L);
    if (isa<SCEVCouldNotCompute>(Repeated)) return nullptr;
    auto *Word = Type::getInt64Ty(L.getHeader()->getContext());
    if (Evolutions.getTypeSizeInBits(Repeated->getType()) > 64) return nullptr;
    const SCEV *Iterations =
        Evolutions.getAddExpr(Evolutions.getNoopOrZeroExtend(Repeated, Word), Evolutions.getOne(Word));
    return isCheap(Iterations, L, L.getHeader()->getTerminator()) ? Iterations : nullptr;
  }

  void prepare(Loop &L, LoopPlan &Plan) {
    Plan.Header = L.getHeader();
    Plan.Latch = L.getLoopLatch();
    BasicBlock *Before = L.getLoopPreheader();
    if (!Before) Before = InsertPreheaderForLoop(&L, &Dominators, &Loops, nullptr, false);
    Plan.Entering = Before->getTerminator();
    SmallVector<Loop::Edge, 4> Edges;
    L.getExitEdges(Edges);
    DenseSet<std::pair<BasicBlock *, BasicBlock *>> Seen;
    for (auto [From, To] : Edges)
      if (Seen.insert({From, To}).second) Plan.Exits.push_back({separate(L, From, To), recordsBefore(From, Plan)});
  }

  BasicBlock *separate(const Loop &L, BasicBlock *From, BasicBlock *To) {
    Instruction *Terminator = From->getTerminator();
    unsigned Index = 0;
    while (Terminator->getSuccessor(Index) != To) ++Index;
    BasicBlock *Between =
        SplitCriticalEdge(Terminator, Index, CriticalEdgeSplittingOptions(&Dominators).setMergeIdenticalEdges());
    if (!Between) {
      splitBlockAt(To, To->getFirstInsertionPt(), &Dominators, &Loops);
      return To;
    }
    // Told of loops, SplitCriticalEdge would redirect the other edges to the same block too.
    Loop *Around = L.getParentLoop();
    while (Around && !Around->contains(To)) Around = Around->getParentLoop();
    if (Around) Around->addBasicBlockToLoop(Between, Loops);
    return Between;
  }

  unsigned recordsBefore(BasicBlock *From, const LoopPlan &Plan) {
    unsigned Records = 0;
    for (BasicBlock *Block : Plan.Order)
      if (Dominators.dominates(Block, From)) Records += SegmentsOf[Block].size();
    return Records;
  }

  DominatorTree Dominators;
  LoopInfo Loops;
  TargetLibraryInfoImpl LibraryImpl;
  TargetLibraryInfo Library;
  AssumptionCache Assumptions;
  ScalarEvolution Evolutions;
  TargetTransformInfo Costs;
  SCEVExpander Expander;
  DenseMap<BasicBlock *, std::vector<const Segment *>> SegmentsOf;
  SmallPtrSet<BasicBlock *, 16> Interrupted;
};

bool hasLoops(const Function &F) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> Backwards;
  FindFunctionBackedges(F, Backwards);
  return !Backwards.empty();
}

} // namespace

std::vector<LoopPlan> findLoops(Function &F, const FunctionPlan &Plan) {
  if (F.isPresplitCoroutine() || !hasLoops(F)) return {};
  return LoopFinder(F, Plan).run();
}

void takeRecords(std::vector<LoopPlan> &Loops, std::vector<BlockPieces> &Body) {
  DenseMap<BasicBlock *, BlockPieces *> PiecesOf;
  for (BlockPieces &Block : Body) PiecesOf[Block.Block] = &Block;
  for (LoopPlan &Loop : Loops) {
    for (BasicBlock *Block : Loop.Order)
      for (Piece &Part : PiecesOf[Block]->Pieces)
        std::move(Part.Records.begin(), Part.Records.end(), std::back_inserter(Loop.Records));
    for (BasicBlock *Block : Loop.Blocks) {
      Piece Closed;
      Closed.BeginsBlock = true;
      PiecesOf[Block]->Pieces.assign(1, Closed);
    }
    SmallVector<SlotPlan *, 16> Slots;
    for (RecordPlan &Record : Loop.Records)
      for (SlotPlan &Slot : Record.Slots) Slots.push_back(&Slot);
    for (auto [Slot, Address] : zip_equal(Slots, Loop.Addresses)) {
      Slot->Described.delta = Address.Constant;
      if (Address.Base >= 0) Slot->Base = Slots[Address.Base];
    }
  }
}

} // namespace dprof
