// Stage: plugin. The pieces of a function -> regions, and the numbers of their paths.
#include "regions.h"

#include "limits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace dprof {

uint32_t PathNode::before(unsigned Node) const {
  return find_if(Edges, [&](const PathEdge &Edge) { return Edge.Node == Node; })->Before;
}

std::vector<unsigned> PathGraph::region(unsigned Root) const {
  std::vector<unsigned> Order;
  std::vector<bool> IsIn(Nodes.size());
  IsIn[Root] = true;
  for (unsigned I = Root; I < Nodes.size(); ++I) {
    if (!IsIn[I]) continue;
    Order.push_back(I);
    for (const PathEdge &Edge : Nodes[I].Edges) IsIn[Edge.Node] = true;
  }
  return Order;
}

bool PathGraph::goesOn(const Instruction *Terminator, const BasicBlock *To) const {
  auto Way = WayOut.find(Terminator);
  auto Number = Joined.find(To);
  return Way != WayOut.end() && Number != Joined.end() && Way->second.Block < Number->second &&
         !Cut.contains({Terminator, To});
}

namespace {

using WaysFrom = SmallVector<std::pair<unsigned, unsigned>, 4>; // root, number of ways

// The facts about a node while the graph grows.
struct Draft {
  PathNode Node;
  WaysFrom Ways{};
  unsigned Records = 0;             // to its end, on the longest way
  unsigned Level = 0, EndLevel = 0; // before addresses are derived

  void comeFrom(unsigned Source, const Draft &From) {
    Node.Sources.push_back(Source);
    Records = std::max<unsigned>(Records, From.Records + Node.Of->Records.size());
    Level = std::max(Level, From.EndLevel);
    EndLevel = Level + Node.Of->words();
    for (auto [Root, More] : From.Ways) {
      auto *Known = find_if(Ways, [&](auto &Entry) { return Entry.first == Root; });
      if (Known == Ways.end())
        Ways.push_back({Root, More});
      else
        Known->second += More;
    }
  }
};

// A block's piece that paths pass.
struct Member {
  const BlockPieces *Block;
  unsigned Node; // passed last at the end of the piece
  bool HasRecords, ReachesEnd;
  bool IsKept = false;
};

class RegionFinder {
public:
  explicit RegionFinder(std::vector<BlockPieces> &Body) {
    for (BlockPieces &Block : Body) NumberOf.try_emplace(Block.Block, NumberOf.size());
    for (BlockPieces &Block : Body)
      for (Piece &Part : Block.Pieces) add(Block, Part);
  }

  PathGraph finish() {
    keep();
    renumber();
    for (const Member &M : Members)
      if (M.IsKept) leave(M);
    countPaths();
    return std::move(Graph);
  }

private:
  void add(BlockPieces &Block, Piece &Part) {
    bool HasRecords = !Part.Records.empty();
    bool IsJoined = Part.BeginsBlock && join(Block, Part);
    if (!IsJoined && HasRecords) begin(Block, Part);
    if (!IsJoined && !HasRecords) return;
    if (IsJoined) JoinedBy[Block.Block] = Members.size();
    if (Part.ReachesEnd) AtEnd[Block.Block] = Last;
    Members.push_back({&Block, Last, HasRecords, Part.ReachesEnd});
  }

  void begin(BlockPieces &Block, Piece &Part) {
    Last = Drafts.size();
    Draft D{PathNode(Block.Block, &Part)};
    D.Node.IsRoot = true;
    D.Ways.push_back({Last, 1});
    D.Records = Part.Records.size();
    D.EndLevel = Part.words();
    RootWays.push_back(1);
    Drafts.push_back(std::move(D));
  }

  // Adds the piece to the paths that come here, if they stay small enough.
  bool join(BlockPieces &Block, Piece &Part) {
    bool HasRecords = !Part.Records.empty();
    if (Block.Block->isEHPad() || (!HasRecords && !Part.ReachesEnd)) return false;
    Draft D{PathNode(Block.Block, &Part)};
    for (BasicBlock *From : predecessors(Block.Block)) {
      auto Number = NumberOf.find(From);
      if (Number == NumberOf.end()) continue; // never executed
      auto Before = AtEnd.find(From);
      bool GoesOn = Number->second < NumberOf[Block.Block] && Before != AtEnd.end();
      Instruction *Terminator = From->getTerminator();
      if (!GoesOn && isa<IndirectBrInst, CallBrInst>(Terminator)) return false; // no place for what a path begins with
      if (GoesOn && !is_contained(D.Node.Sources, Before->second))
        D.Node.Sources.push_back(Before->second);
      else if (!GoesOn && !is_contained(D.Node.Entering, Terminator))
        D.Node.Entering.push_back(Terminator);
    }
    D.Node.IsRoot = !D.Node.Entering.empty();
    if (D.Node.Sources.empty() || (D.Node.IsRoot && !HasRecords)) return false;
    Last = D.Node.Sources.front();
    if (!HasRecords && D.Node.Sources.size() == 1) return true;
    return addNode(std::move(D));
  }

  // Accepts those of the offered sources that stay small together, starting with the one with the fewest regions. The
  // paths of the others end before, if there is a place for what begins instead.
  bool addNode(Draft D) {
    SmallVector<unsigned, 2> Offered = std::move(D.Node.Sources), Refused;
    D.Node.Sources.clear();
    sort(Offered, [&](unsigned A, unsigned B) {
      return std::pair(Drafts[A].Ways.size(), A) < std::pair(Drafts[B].Ways.size(), B);
    });
    for (unsigned Source : Offered) {
      Draft With = D;
      With.comeFrom(Source, Drafts[Source]);
      if (isSmall(With))
        D = std::move(With);
      else
        Refused.push_back(Source);
    }
    if (D.Node.Sources.empty() || (!Refused.empty() && D.Node.Of->Records.empty())) return false;
    cutOff(D.Node, Refused);
    sort(D.Node.Sources);
    unsigned Self = Drafts.size();
    for (auto [Root, Ways] : D.Ways) RootWays[Root] += Ways;
    RootWays.push_back(1);
    if (D.Node.IsRoot) D.Ways.push_back({Self, 1});
    Drafts.push_back(std::move(D));
    Last = Self;
    return true;
  }

  // Paths end on the edges from these nodes, and begin anew.
  void cutOff(PathNode &Node, ArrayRef<unsigned> Refused) {
    for (BasicBlock *From : predecessors(Node.Block)) {
      auto Before = AtEnd.find(From);
      Instruction *Terminator = From->getTerminator();
      if (Before == AtEnd.end() || !is_contained(Refused, Before->second) || is_contained(Node.Entering, Terminator))
        continue;
      Graph.Cut.insert({Terminator, Node.Block});
      Node.Entering.push_back(Terminator);
      Node.IsRoot = true;
    }
  }

  bool isSmall(const Draft &D) const {
    if (D.Records > limits::PathRecords || D.Ways.size() > limits::RegionsOfNode) return false;
    // Every path ends at some node: a region has no more of them than ways to all its nodes.
    return all_of(D.Ways, [&](auto &Entry) {
      auto [Root, Ways] = Entry;
      return Ways <= limits::WaysToNode && RootWays[Root] + Ways <= limits::RegionPaths &&
             D.EndLevel - Drafts[Root].Level <= limits::PathWords;
    });
  }

  // Keeps the pieces with records, and those on the way to them.
  void keep() {
    for (Member &M : reverse(Members)) {
      M.IsKept = M.HasRecords;
      if (!M.ReachesEnd) continue;
      for (BasicBlock *To : successors(M.Block->Terminator)) {
        auto Next = JoinedBy.find(To);
        M.IsKept |= Next != JoinedBy.end() && NumberOf[M.Block->Block] < NumberOf[To] &&
                    !Graph.Cut.contains({M.Block->Terminator, To}) && Members[Next->second].IsKept;
      }
    }
  }

  void renumber() {
    std::vector<bool> IsKept(Drafts.size());
    for (const Member &M : Members)
      if (M.IsKept) IsKept[M.Node] = true;
    NewNumber.resize(Drafts.size());
    for (unsigned I = 0; I < Drafts.size(); ++I) {
      if (!IsKept[I]) continue;
      NewNumber[I] = Graph.Nodes.size();
      for (unsigned &Source : Drafts[I].Node.Sources) Source = NewNumber[Source];
      Graph.Nodes.push_back(std::move(Drafts[I].Node));
    }
    for (auto [Block, Index] : JoinedBy)
      if (Members[Index].IsKept) Graph.Joined[Block] = NumberOf[Block];
  }

  // How paths leave the block.
  void leave(const Member &M) {
    PathNode &Node = Graph.Nodes[NewNumber[M.Node]];
    SmallSet<BasicBlock *, 4> Seen;
    SmallVector<BasicBlock *, 4> Outside;
    bool GoesOn = false;
    if (M.ReachesEnd) {
      Instruction *Terminator = M.Block->Terminator;
      Graph.WayOut[Terminator] = {NewNumber[M.Node], NumberOf[M.Block->Block]};
      for (BasicBlock *To : successors(Terminator))
        if (!Seen.insert(To).second)
          continue;
        else if (Graph.goesOn(Terminator, To))
          GoesOn = true;
        else
          Outside.push_back(To);
    }
    Node.EndsAll |= !GoesOn;
    Node.Ends |= !GoesOn || !Outside.empty();
    if (GoesOn)
      for (BasicBlock *To : Outside) Graph.Exits.push_back({M.Block->Terminator, To, NewNumber[M.Node]});
  }

  // Ball and Larus.
  void countPaths() {
    for (unsigned I = 0; I < Graph.Nodes.size(); ++I)
      for (unsigned Source : Graph.Nodes[I].Sources) Graph.Nodes[Source].Edges.push_back({I, 0});
    for (PathNode &Node : reverse(Graph.Nodes)) {
      Node.Paths = Node.Ends;
      for (PathEdge &Edge : Node.Edges) {
        Edge.Before = Node.Paths;
        Node.Paths += Graph.Nodes[Edge.Node].Paths;
      }
    }
  }

  DenseMap<BasicBlock *, unsigned> NumberOf;
  std::vector<Draft> Drafts;
  std::vector<unsigned> RootWays; // by draft: ways from it to all that it leads to
  std::vector<Member> Members;
  DenseMap<BasicBlock *, unsigned> JoinedBy; // members by block
  DenseMap<BasicBlock *, unsigned> AtEnd;    // drafts by block: the path is not interrupted at its end
  unsigned Last = 0;                         // draft passed last
  std::vector<unsigned> NewNumber;
  PathGraph Graph;
};

} // namespace

PathGraph findRegions(std::vector<BlockPieces> &Body) { return RegionFinder(Body).finish(); }

} // namespace dprof
