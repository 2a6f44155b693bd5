// Stage: plugin. Decides where the words of each node stand in a path, and which addresses need no word because they
// are derived.
#include "layout.h"

#include "address.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace dprof {

namespace {

unsigned loggedWords(const SlotPlan &Slot) { return Slot.Access.words() - (Slot.Base ? 1 : 0); }

bool isDerivable(const AccessSlot &Slot) {
  dprof_slot_kind Kind = Slot.Kind;
  return !Slot.MeasuredOffset && Kind != DPROF_SLOT_SITE && Kind != DPROF_SLOT_GATHER && Kind != DPROF_SLOT_SCATTER &&
         Kind != DPROF_SLOT_VALUE && Kind != DPROF_SLOT_ARGUMENT;
}

// The addresses that every path has logged when it comes to a place.
struct Passed {
  struct Entry {
    const SlotPlan *Slot;
    uint64_t Offset;
  };
  std::map<Address, Entry> Logged;
  // Number of slots minus those that the path's words allow, on the path with the most.
  int Excess = -DPROF_SLOTS_PER_WORD; // the header word

  void meet(const Passed &Other) {
    Excess = std::max(Excess, Other.Excess);
    std::erase_if(Logged, [&](const auto &Item) {
      auto Found = Other.Logged.find(Item.first);
      return Found == Other.Logged.end() || Found->second.Slot != Item.second.Slot;
    });
  }
};

class LayoutMaker {
public:
  LayoutMaker(PathGraph &Graph, const DataLayout &Layout) : Graph(Graph), Layout(Layout), AtEnd(Graph.Nodes.size()) {}

  void run() {
    for (unsigned I = 0; I < Graph.Nodes.size(); ++I) place(I);
    closeGaps();
    for (unsigned I = 0; I < Graph.Nodes.size(); ++I)
      if (Graph.Nodes[I].IsRoot)
        for (unsigned Node : Graph.region(I))
          Graph.Nodes[I].Words = std::max(Graph.Nodes[I].Words, Graph.Nodes[Node].EndLevel - Graph.Nodes[I].Level);
  }

private:
  void place(unsigned Index) {
    PathNode &Node = Graph.Nodes[Index];
    Passed &Here = AtEnd[Index];
    bool IsFirst = !Node.IsRoot;
    for (unsigned Source : Node.Sources) {
      Node.Level = std::max(Node.Level, Graph.Nodes[Source].EndLevel);
      if (IsFirst)
        Here = AtEnd[Source];
      else
        Here.meet(AtEnd[Source]);
      IsFirst = false;
    }
    unsigned Words = 0;
    auto count = [&](unsigned More) {
      Words += More;
      Here.Excess -= int(DPROF_SLOTS_PER_WORD * More);
    };
    for (RecordPlan &Record : Node.Of->Records) {
      if (Record.Site) count(Record.Words);
      for (SlotPlan &Slot : Record.Slots) {
        ++Here.Excess;
        if (isDerivable(Slot.Access)) settle(Slot, Here);
        if (!Record.Site) count(loggedWords(Slot));
      }
    }
    Node.EndLevel = Node.Level + Words;
  }

  // Derives the slot from one that every path has passed, or makes it one to derive from.
  void settle(SlotPlan &Slot, Passed &Here) {
    Address Own(Slot.Access.Pointer, Layout);
    auto Base = Here.Logged.find(Own);
    bool MayDerive = Base != Here.Logged.end() && Slot.Access.Kind != DPROF_SLOT_OBJECT && Here.Excess <= 0;
    int64_t Delta = MayDerive ? Own.Offset - Base->second.Offset : 0;
    if (MayDerive && isInt<32>(Delta)) {
      Slot.Base = Base->second.Slot;
      Slot.Described.delta = Delta;
    } else {
      Here.Logged.insert_or_assign(Own, Passed::Entry{&Slot, Own.Offset});
    }
  }

  // A gap may stand before a node as well as behind it. Gaps move up; before a root there is none.
  void closeGaps() {
    for (PathNode &Node : reverse(Graph.Nodes)) {
      if (Node.Edges.empty()) continue;
      unsigned Next = ~0u;
      for (const PathEdge &Edge : Node.Edges) Next = std::min(Next, Graph.Nodes[Edge.Node].Level);
      Node.Level += Next - Node.EndLevel;
      Node.EndLevel = Next;
    }
  }

  PathGraph &Graph;
  const DataLayout &Layout;
  std::vector<Passed> AtEnd;
};

} // namespace

void layOut(PathGraph &Graph, const DataLayout &Layout) { LayoutMaker(Graph, Layout).run(); }

} // namespace dprof
