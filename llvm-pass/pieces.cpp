// Stage: plugin. A function's plan -> its records in the order in which they are made, in pieces.
#include "pieces.h"

#include "blocks.h"
#include "limits.h"
#include "version.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace dprof {

unsigned Piece::words() const {
  unsigned Words = 0;
  for (const RecordPlan &Record : Records) Words += Record.Words;
  return Words;
}

namespace {

// The instruction after the call returned normally; null if the call is followed by the return at once.
Instruction *afterCall(CallBase &Call) {
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) return &*Invoke->getNormalDest()->getFirstInsertionPt();
  return Call.isMustTailCall() ? nullptr : nextInstruction(Call);
}

class PieceCutter {
public:
  PieceCutter(const FunctionPlan &Plan, Instruction *BodyBegin, const Receivers &Received, Statistics &Counts)
      : Plan(Plan), BodyBegin(BodyBegin), Received(Received) {
    for (const Segment &Part : Plan.Segments) SegmentAt[Part.Accesses.front().I] = &Part;
    for (const SitePlan &Site : Plan.Sites)
      if (Site.What.Role == AllocationCall::Free)
        FreeAt[Site.Call] = &Site;
      else if (Instruction *Where = afterCall(*Site.Call))
        AllocationAt[Where] = &Site;
      else
        ++Counts.Skipped["allocation in a tail position"];
    Exits.insert(Plan.Exits.begin(), Plan.Exits.end());
    Cuts.insert(Plan.Cuts.begin(), Plan.Cuts.end());
  }

  BlockPieces cut(BasicBlock &Block) {
    BlockPieces Parts{&Block, Block.getTerminator(), {}, {}};
    Piece Open;
    Open.BeginsBlock = true;
    auto close = [&](bool AtCall) {
      Open.EndsAtCall = AtCall;
      Parts.Pieces.push_back(std::move(Open));
      Open = Piece();
    };
    auto add = [&](RecordPlan Record) {
      if (!Open.Records.empty() && Open.words() + Record.Words > limits::PathWords) close(false);
      Open.Records.push_back(std::move(Record));
      if (Open.Records.back().Flags & DPROF_RECORD_STAMPED) close(false);
    };
    bool IsCut = false;
    for (Instruction &I : Block) {
      if (&I == BodyBegin && Plan.HasEntryMarker) add(marker(I, DPROF_RECORD_ENTRY));
      if (const SitePlan *Site = AllocationAt.lookup(&I)) add(site(*Site, I));
      if (const Segment *Part = SegmentAt.lookup(&I)) add(segment(*Part));
      if (const SitePlan *Site = FreeAt.lookup(&I)) add(site(*Site, I));
      if (Exits.contains(&I)) add(marker(I, DPROF_RECORD_EXIT));
      IsCut = Cuts.contains(&I);
      if (!IsCut) continue;
      if (const CallBase *Call = asCall(I)) {
        // Who receives a pointer is worth a path of its own.
        bool IsAsked = Call->getType()->isPointerTy() && !Call->isMustTailCall() && Call->getDebugLoc() &&
                       !Received.of(*Call->getDebugLoc()).empty();
        if (Open.Records.empty() && IsAsked) add(marker(I, 0));
        if (!Open.Records.empty())
          Open.Records.back().Call = Call;
        else
          Parts.OtherCalls.push_back(Call);
      }
      close(true);
    }
    // A way out that can hold no code interrupts too, and so may the suspension of a coroutine that is still to be
    // split.
    Open.ReachesEnd =
        !IsCut && !isa<IndirectBrInst, CallBrInst>(Parts.Terminator) && !Block.getParent()->isPresplitCoroutine();
    close(false);
    return Parts;
  }

private:
  // A call of a function that may record; sites say their own position.
  static const CallBase *asCall(const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    bool IsOther = !Call || isa<IntrinsicInst>(Call) || Call->isInlineAsm() || asAllocationCall(*Call);
    return IsOther ? nullptr : Call;
  }

  void addArguments(RecordPlan &Record) {
    for (auto [Given, Described] : zip_equal(Plan.Arguments, Plan.DescribedArguments)) {
      Record.Slots.push_back({Given, Record.Begin, Described});
      Record.Words += Given.words();
    }
  }

  void addObjects(RecordPlan &Record) {
    for (unsigned I = 0; I < Plan.Objects.size(); ++I) {
      AccessSlot Object;
      Object.Kind = DPROF_SLOT_OBJECT;
      Object.Pointer = Plan.Objects[I];
      Record.Slots.push_back({Object, Record.Begin, Plan.DescribedObjects[I]});
      Record.Words += Object.words();
    }
  }

  void bound(RecordPlan &Record, bool Enters, bool Leaves) {
    Record.Flags |= (Enters ? DPROF_RECORD_ENTRY : 0) | (Leaves ? DPROF_RECORD_EXIT : 0);
    if ((Enters || Leaves) && !Plan.Objects.empty()) Record.Flags |= DPROF_RECORD_FRAME;
    if (!Enters) return;
    addArguments(Record);
    addObjects(Record);
  }

  RecordPlan marker(Instruction &Before, uint8_t Flag) {
    RecordPlan Record(DPROF_RECORD_MARKER);
    Record.Begin = Record.End = &Before;
    bound(Record, Flag == DPROF_RECORD_ENTRY, Flag == DPROF_RECORD_EXIT);
    return Record;
  }

  RecordPlan site(const SitePlan &Site, Instruction &Before) {
    RecordPlan Record(Site.What.Role == AllocationCall::Free ? DPROF_RECORD_FREE : DPROF_RECORD_ALLOCATION);
    Record.Site = &Site;
    Record.Words = Site.words();
    Record.Begin = Record.End = &Before;
    AccessSlot None;
    None.Kind = DPROF_SLOT_SITE;
    Record.Slots.push_back({None, &Before, Site.Described});
    return Record;
  }

  RecordPlan segment(const Segment &Part) {
    RecordPlan Record(DPROF_RECORD_SEGMENT);
    Record.Flags = Part.isStamped() ? DPROF_RECORD_STAMPED : 0;
    Record.Instructions = std::min<uint64_t>(Part.Instructions, UINT32_MAX);
    Record.Begin = Part.Accesses.front().I;
    Record.End = Part.Accesses.back().I;
    Record.EndsBehind = !Part.Accesses.back().MayNotReturn;
    bound(Record, Part.Enters, Part.Leaves);
    unsigned Next = 0;
    for (const SegmentAccess &Access : Part.Accesses)
      for (const AccessSlot &Slot : Access.Slots) Record.Slots.push_back({Slot, Access.I, Part.Described[Next++]});
    Record.Words += Part.words();
    return Record;
  }

  const FunctionPlan &Plan;
  Instruction *BodyBegin;
  const Receivers &Received;
  DenseMap<Instruction *, const Segment *> SegmentAt;
  DenseMap<Instruction *, const SitePlan *> FreeAt, AllocationAt;
  DenseSet<Instruction *> Exits, Cuts;
};

} // namespace

std::vector<BlockPieces> cutIntoPieces(const FunctionPlan &Plan, Instruction *BodyBegin, const Receivers &Received,
                                       Statistics &Counts) {
  PieceCutter Cutter(Plan, BodyBegin, Received, Counts);
  std::vector<BlockPieces> Body;
  for (BasicBlock *Block : ReversePostOrderTraversal<BasicBlock *>(BodyBegin->getParent()))
    Body.push_back(Cutter.cut(*Block));
  return Body;
}

void markBlocks(std::vector<BlockPieces> &Body) {
  for (BlockPieces &Block : Body) {
    if (!Block.Pieces.front().Records.empty() || !isBlockOfItsOwn(*Block.Block)) continue;
    RecordPlan Record(DPROF_RECORD_MARKER);
    Record.Begin = Record.End = &*Block.Block->getFirstInsertionPt();
    Block.Pieces.front().Records.push_back(std::move(Record));
  }
}

void separateNormalEdges(const FunctionPlan &Plan) {
  for (const SitePlan &Site : Plan.Sites) {
    auto *Invoke = dyn_cast<InvokeInst>(Site.Call);
    if (Invoke && Site.What.Role == AllocationCall::Allocate && !Invoke->getNormalDest()->getSinglePredecessor())
      SplitEdge(Invoke->getParent(), Invoke->getNormalDest());
  }
}

} // namespace dprof
