// Stage: plugin. Decides which regions must ask whether the buffer has room, and for how many words.
#include "room.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace dprof {

namespace {

// Small beside the words between two time stamps (runtime/include/dprof/abi.h).
constexpr unsigned MaxAsk = 96;

// A region that takes `Need` words at most, or a call, after which nothing is known of the room (`Ask` is null).
struct Step {
  unsigned Need = 0;
  unsigned *Ask = nullptr;
};

class RoomPlanner {
public:
  RoomPlanner(const std::vector<BlockPieces> &Body, PathGraph &Graph) : Body(Body), Graph(Graph), Blocks(Body.size()) {
    DenseMap<const Piece *, PathNode *> RootAt;
    for (PathNode &Node : Graph.Nodes)
      if (Node.IsRoot) RootAt[Node.Of] = &Node;
    for (unsigned I = 0; I < Body.size(); ++I) {
      NumberOf[Body[I].Block] = I;
      for (const Piece &Part : Body[I].Pieces) {
        if (PathNode *Root = RootAt.lookup(&Part))
          (Root->isJoinedRoot() ? Blocks[I].Entering : Blocks[I].Steps).push_back({1 + Root->Words, &Root->Ask});
        if (Part.EndsAtCall) Blocks[I].Steps.push_back({});
      }
    }
  }

  void run() {
    for (unsigned I = Body.size(); I-- > 0;) lookAhead(I);
    for (unsigned I = 0; I < Body.size(); ++I) pass(I);
  }

private:
  struct Room {
    SmallVector<Step, 2> Entering; // of paths that begin where others pass: those have asked
    SmallVector<Step, 2> Steps;
    unsigned NeedEntering = 0, Need = 0; // from the block's begin
    unsigned After = 0;
  };

  // Computes the words that the longest way from the block's begin to the next call or backward branch needs. Each
  // `Ask` becomes the need from its place on. A region counts whole in the block where it begins.
  void lookAhead(unsigned Block) {
    unsigned Need = 0;
    for (BasicBlock *Next : successors(Body[Block].Block)) {
      const Room &There = Blocks[NumberOf[Next]];
      if (NumberOf[Next] > Block)
        Need = std::max(Need, Graph.goesOn(Body[Block].Terminator, Next) ? There.Need : There.NeedEntering);
    }
    Blocks[Block].Need = askFor(Blocks[Block].Steps, Need);
    Blocks[Block].NeedEntering = askFor(Blocks[Block].Entering, Blocks[Block].Need);
  }

  static unsigned askFor(ArrayRef<Step> Steps, unsigned Need) {
    for (const Step &S : reverse(Steps)) {
      Need = S.Ask ? std::max(S.Need, std::min(MaxAsk, S.Need + Need)) : 0;
      if (S.Ask) *S.Ask = Need;
    }
    return Need;
  }

  // Follows the room that is known to be there; a region that finds enough need not ask.
  void pass(unsigned Block) {
    bool IsUnknown = Block == 0 || Body[Block].Block->isEHPad();
    unsigned Left = ~0u, LeftEntering = ~0u;
    for (BasicBlock *From : predecessors(Body[Block].Block)) {
      auto Found = NumberOf.find(From);
      if (Found == NumberOf.end()) continue; // never executed
      unsigned &Here = Graph.goesOn(Body[Found->second].Terminator, Body[Block].Block) ? Left : LeftEntering;
      Here = std::min(Here, Found->second >= Block ? 0 : Blocks[Found->second].After);
    }
    if (IsUnknown) LeftEntering = 0;
    if (LeftEntering != ~0u) Left = std::min(Left, take(Blocks[Block].Entering, LeftEntering));
    Blocks[Block].After = take(Blocks[Block].Steps, Left);
  }

  static unsigned take(ArrayRef<Step> Steps, unsigned Room) {
    for (const Step &S : Steps) {
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
    return Room;
  }

  const std::vector<BlockPieces> &Body;
  const PathGraph &Graph;
  std::vector<Room> Blocks;
  DenseMap<BasicBlock *, unsigned> NumberOf;
};

} // namespace

void planRoom(const std::vector<BlockPieces> &Body, PathGraph &Graph) { RoomPlanner(Body, Graph).run(); }

} // namespace dprof
