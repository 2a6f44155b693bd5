// Stage: plugin. Which records must ask whether the buffer has room, and for how many words.
#include "room.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace dprof {

namespace {

// Small beside the 1,000 words between two time stamps.
constexpr unsigned MaxAsk = 96;

// A record that takes `Need` words, or a call, after which nothing is known of the room (`Ask` is null).
struct Step {
  unsigned Need = 0;
  unsigned *Ask = nullptr;
};

class RoomPlanner {
public:
  RoomPlanner(Function &F, FunctionPlan &Plan) : F(F), Plan(Plan) {}

  void run() {
    collect();
    ReversePostOrderTraversal<Function *> Traversal(&F);
    SmallVector<BasicBlock *, 32> Order(Traversal.begin(), Traversal.end());
    unsigned Number = 0;
    for (BasicBlock *Block : Order)
      NumberOf[Block] = Number++;
    for (BasicBlock *Block : reverse(Order))
      lookAhead(*Block);
    for (BasicBlock *Block : Order)
      pass(*Block);
  }

private:
  void collect() {
    DenseMap<Instruction *, Segment *> SegmentAt;
    DenseMap<Instruction *, SitePlan *> SiteAt;
    DenseMap<Instruction *, MarkerPlan *> ExitAt;
    for (Segment &Part : Plan.Segments)
      SegmentAt[Part.Accesses.front().I] = &Part;
    for (SitePlan &Site : Plan.Sites) {
      SiteAt[Site.Call] = &Site;
      Site.Ask = 1 + Site.words();
    }
    for (MarkerPlan &Exit : Plan.Exits)
      ExitAt[Exit.Before] = &Exit;
    if (Plan.Entry.Before)
      Steps[&F.getEntryBlock()].push_back({1 + unsigned(Plan.Objects.size()), &Plan.Entry.Ask});
    for (BasicBlock &Block : F)
      for (Instruction &I : Block) {
        auto &Here = Steps[&Block];
        SitePlan *Site = SiteAt.lookup(&I);
        if (Segment *Part = SegmentAt.lookup(&I))
          Here.push_back({1 + Part->words() + (Part->Enters ? unsigned(Plan.Objects.size()) : 0), &Part->Ask});
        if (Site && Site->What.Role == AllocationCall::Free)
          Here.push_back({1 + Site->words(), &Site->Ask});
        if (MarkerPlan *Exit = ExitAt.lookup(&I))
          Here.push_back({1, &Exit->Ask});
        if (isa<CallBase>(I) && !isa<IntrinsicInst>(I))
          Here.push_back({});
        // Behind an invoke the record is in another block: it asks for itself, and for nobody else.
        if (Site && Site->What.Role == AllocationCall::Allocate && !isa<InvokeInst>(I))
          Here.push_back({1 + Site->words(), &Site->Ask});
      }
  }

  // What the longest way from the block's begin to the next call or backward branch needs. Leaves in each `Ask` what it is from there.
  void lookAhead(BasicBlock &Block) {
    unsigned Need = 0;
    for (BasicBlock *Next : successors(&Block))
      if (NumberOf[Next] > NumberOf[&Block])
        Need = std::max(Need, NeedAt[Next]);
    for (Step &S : reverse(Steps[&Block])) {
      Need = S.Ask ? std::max(S.Need, std::min(MaxAsk, S.Need + Need)) : 0;
      if (S.Ask)
        *S.Ask = Need;
    }
    NeedAt[&Block] = Need;
  }

  // Follows the room that is known to be there; who finds enough need not ask.
  void pass(BasicBlock &Block) {
    bool HasUnknown = &Block == &F.getEntryBlock();
    unsigned Room = ~0u;
    for (BasicBlock *From : predecessors(&Block)) {
      auto Found = NumberOf.find(From);
      if (Found == NumberOf.end())
        continue; // never executed
      HasUnknown |= Found->second >= NumberOf[&Block];
      Room = std::min(Room, RoomAfter[From]);
    }
    if (HasUnknown || Room == ~0u || Block.isEHPad())
      Room = 0;
    for (Step &S : Steps[&Block]) {
      if (!S.Ask) {
        Room = 0;
        continue;
      }
      if (Room >= S.Need)
        *S.Ask = 0;
      else
        Room = *S.Ask;
      Room -= S.Need;
    }
    RoomAfter[&Block] = Room;
  }

  Function &F;
  FunctionPlan &Plan;
  DenseMap<BasicBlock *, std::vector<Step>> Steps;
  DenseMap<BasicBlock *, unsigned> NumberOf, NeedAt, RoomAfter;
};

} // namespace

void planRoom(Function &F, FunctionPlan &Plan) { RoomPlanner(F, Plan).run(); }

} // namespace dprof
