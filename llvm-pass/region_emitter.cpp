// Stage: plugin, "emit". A function's regions -> their part of the unit, and the instructions that write their paths.
#include "region_emitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace dprof {

void writeRecord(RecordPlan &Record, uint32_t Function, UnitWriter &Unit, Statistics &Counts) {
  dprof_record Written{};
  Written.tag = Record.Tag;
  Written.flags = Record.Flags;
  Written.words = Record.Words;
  Written.instructions = Record.Instructions;
  Written.function = Function;
  if (Record.Call) Written.call = Unit.call(Function, *Record.Call);
  Record.Index = Unit.nextRecord();
  uint32_t Index = Unit.nextSlot();
  std::vector<dprof_slot> Slots;
  for (SlotPlan &Slot : Record.Slots) {
    Slot.Index = Index++;
    if (Slot.Base) Slot.Described.base = 1 + Slot.Base->Index;
    Counts.DerivedWords += Slot.Base != nullptr;
    Slots.push_back(Slot.Described);
  }
  Unit.record(Written, Slots);
  Counts.Words += Record.Words;
  ++(Record.Tag == DPROF_RECORD_SEGMENT  ? Counts.Segments
     : Record.Tag == DPROF_RECORD_MARKER ? Counts.Markers
                                         : Counts.Sites);
}

namespace {

Value *allocatedAddress(IRBuilder<> &Build, const SitePlan &Site) {
  if (Site.What.OutArgument < 0) return Site.Call;
  // On failure the out argument keeps its old value; null is ignored.
  Value *Old = Build.CreateAlignedLoad(Build.getPtrTy(), Site.Call->getArgOperand(Site.What.OutArgument), Align(1));
  Value *Succeeded = Site.What.SucceedsUnlessNegative ? Build.CreateIsNotNeg(Site.Call) : Build.CreateIsNull(Site.Call);
  return Build.CreateSelect(Succeeded, Old, Constant::getNullValue(Build.getPtrTy()));
}

Value *allocatedBytes(IRBuilder<> &Build, const SitePlan &Site) {
  if (Site.What.SizeArgument < 0) return Build.getInt64(0);
  auto wide = [&](int Argument) {
    return Build.CreateZExtOrTrunc(Site.Call->getArgOperand(Argument), Build.getInt64Ty());
  };
  Value *Size = wide(Site.What.SizeArgument);
  return Site.What.CountArgument < 0 ? Size : Build.CreateMul(Size, wide(Site.What.CountArgument));
}

class GraphEmitter {
public:
  GraphEmitter(const PathGraph &Graph, const DenseMap<unsigned, uint32_t> &Entries, const RuntimeSymbols &Runtime,
               ThreadCursor &Cursor, const UnitWriter &Unit)
      : Graph(Graph), Entries(Entries), Unit(Unit), Emit(Runtime, Cursor) {}

  void run() {
    for (unsigned I = 0; I < Graph.Nodes.size(); ++I) {
      const PathNode &Node = Graph.Nodes[I];
      States.push_back(begin(Node, I));
      Emit.seek(States[I].Place, Node.Level);
      for (const RecordPlan &Record : Node.Of->Records) emitRecord(Record);
      if (!Node.EndsAll) continue;
      const RecordPlan &Last = Node.Of->Records.back();
      if (Last.EndsBehind)
        publish(BuilderAfter(LastWritten), I);
      else
        publish(BuilderBefore(Last.End), I);
    }
    for (const PathExit &Exit : Graph.Exits) publish(BuilderBefore(placeOn(Exit)), Exit.Node);
  }

private:
  // The state of a path at a node.
  struct State {
    PathPlace Place;
    Value *Base; // what it stores as its header word, less `Number`, if it ends on the first way from here
    uint32_t Number;
  };

  // A block may come from several nodes, and a node over several blocks.
  struct Arrival {
    BasicBlock *From;
    State Brought;
  };

  State begin(const PathNode &Node, unsigned Index) {
    if (Node.Sources.empty()) return root(Node, Index, Node.Of->Records.front().Begin);
    if (!Node.IsRoot && Node.Sources.size() == 1) return along(Node.Sources.front(), Index);
    Instruction *Entering = nullptr;
    State Begun{};
    if (Node.IsRoot) {
      SmallVector<BasicBlock *, 4> From;
      for (Instruction *Terminator : Node.Entering) From.push_back(Terminator->getParent());
      Entering = SplitBlockPredecessors(Node.Block, From, "")->getTerminator();
      Before[Node.Block] = Entering->getParent();
      Begun = root(Node, Index, Entering);
    }
    SmallVector<Arrival, 4> Arrivals;
    for (BasicBlock *From : predecessors(Node.Block)) {
      auto Way = Graph.WayOut.find(From->getTerminator());
      if (From->getTerminator() == Entering)
        Arrivals.push_back({From, Begun});
      else if (Way != Graph.WayOut.end())
        Arrivals.push_back({From, along(Way->second.Node, Index)});
      else
        Arrivals.push_back({From, {}}); // never executed
    }
    return merge(Node, Arrivals);
  }

  State root(const PathNode &Node, unsigned Index, Instruction *First) {
    return {Emit.reserve(First, Node.Ask, Node.Level), Unit.pathAddress(Entries.lookup(Index), 0), 0};
  }

  State along(unsigned From, unsigned To) {
    State Here = States[From];
    Here.Number += Graph.Nodes[From].before(To);
    return Here;
  }

  State merge(const PathNode &Node, ArrayRef<Arrival> Arrivals) {
    auto header = [&](IRBuilder<> &, const State &S) { return S.Place.Header; };
    auto word = [&](IRBuilder<> &Build, const State &S) { return Emit.at(Build, S.Place, Node.Level); };
    auto number = [&](IRBuilder<> &Build, const State &S) { return valueOf(S, Build); };
    State Merged = Arrivals.front().Brought;
    auto differs = [&](auto Part) {
      return any_of(Arrivals, [&](const Arrival &A) { return Part(A.Brought) != Part(Merged); });
    };
    if (differs([](const State &S) { return S.Place.Header; })) Merged.Place.Header = phi(Node, Arrivals, header);
    if (differs([](const State &S) { return std::pair(S.Place.Word, S.Place.Level); }))
      Merged.Place.Word = phi(Node, Arrivals, word), Merged.Place.Level = Node.Level;
    if (differs([](const State &S) { return std::pair(S.Base, S.Number); }))
      Merged.Base = phi(Node, Arrivals, number), Merged.Number = 0;
    return Merged;
  }

  template <typename Part> PHINode *phi(const PathNode &Node, ArrayRef<Arrival> Arrivals, Part PartOf) {
    auto *Pointer = PointerType::getUnqual(Node.Block->getContext());
    PHINode *Merged = PHINode::Create(Pointer, Arrivals.size());
    Merged->insertInto(Node.Block, Node.Block->begin());
    for (const Arrival &A : Arrivals) {
      // A block may have several edges here: they must bring one value.
      int Known = Merged->getBasicBlockIndex(A.From);
      BuilderBefore Build(A.From->getTerminator());
      Value *Brought = Known >= 0       ? Merged->getIncomingValue(Known)
                       : A.Brought.Base ? PartOf(Build, A.Brought)
                                        : PoisonValue::get(Pointer);
      Merged->addIncoming(Brought, A.From);
    }
    return Merged;
  }

  static Value *valueOf(const State &S, IRBuilder<> &Build) {
    return S.Number ? Build.CreateConstInBoundsGEP1_32(Build.getInt8Ty(), S.Base, S.Number) : S.Base;
  }

  void emitRecord(const RecordPlan &Record) {
    LastWritten = Record.End;
    if (Record.Site) {
      BuilderBefore Build(Record.Begin);
      if (Record.Tag == DPROF_RECORD_FREE) {
        Emit.word(Build, Record.Site->Call->getArgOperand(Record.Site->What.PointerArgument));
      } else {
        Emit.word(Build, allocatedAddress(Build, *Record.Site));
        Emit.word(Build, allocatedBytes(Build, *Record.Site));
      }
      return;
    }
    for (const SlotPlan &Slot : Record.Slots) {
      if (Slot.Access.Logged == Slot.At) {
        emitLoaded(Slot);
        continue;
      }
      BuilderBefore Before(Slot.At);
      Emit.slot(Before, Slot.Access, !Slot.Base);
    }
    if (Record.Flags & DPROF_RECORD_STAMPED) emitStamp(Record);
  }

  // The value is there only once it is loaded.
  void emitLoaded(const SlotPlan &Slot) {
    BuilderAfter After(Slot.At);
    Emit.slot(After, Slot.Access, false);
    if (Slot.At == LastWritten) LastWritten = &*std::prev(After.GetInsertPoint());
  }

  // Before a release, after an acquire.
  void emitStamp(const RecordPlan &Record) {
    dprof_slot_kind Kind = Record.Slots.back().Access.Kind;
    bool IsRelease = Kind == DPROF_SLOT_ATOMIC_STORE || Kind == DPROF_SLOT_ATOMIC_UPDATE;
    if (IsRelease) {
      BuilderBefore Before(Record.End);
      Emit.stamp(Before);
    } else {
      BuilderAfter After(LastWritten);
      Emit.stamp(After);
      LastWritten = &*std::prev(After.GetInsertPoint());
    }
  }

  void publish(IRBuilder<> &&Build, unsigned Node) {
    Value *Header = valueOf(States[Node], Build);
    Emit.publish(Build, States[Node].Place, Header, Graph.Nodes[Node].EndLevel);
  }

  // An instruction that a path comes to if and only if it leaves by this edge.
  Instruction *placeOn(const PathExit &Exit) {
    // Another path may begin where this one ends.
    BasicBlock *To = Before.lookup(Exit.To);
    if (!To || !is_contained(successors(Exit.Terminator), To)) To = Exit.To;
    if (To->getUniquePredecessor()) return &*To->getFirstInsertionPt();
    unsigned Index = 0;
    while (Exit.Terminator->getSuccessor(Index) != To) ++Index;
    auto Options = CriticalEdgeSplittingOptions().setMergeIdenticalEdges();
    return SplitCriticalEdge(Exit.Terminator, Index, Options)->getTerminator();
  }

  const PathGraph &Graph;
  const DenseMap<unsigned, uint32_t> &Entries;
  const UnitWriter &Unit;
  PathEmitter Emit;
  std::vector<State> States;                   // by node
  DenseMap<BasicBlock *, BasicBlock *> Before; // blocks in which the paths of a root that others pass begin
  Instruction *LastWritten = nullptr;
};

} // namespace

DenseMap<unsigned, uint32_t> writeRegions(PathGraph &Graph, const Function &F, UnitWriter &Unit, Statistics &Counts) {
  std::vector<uint32_t> FirstRecord;
  for (PathNode &Node : Graph.Nodes) {
    FirstRecord.push_back(Unit.nextRecord());
    for (RecordPlan &Record : Node.Of->Records) writeRecord(Record, Unit.function(F), Unit, Counts);
  }
  DenseMap<unsigned, uint32_t> Entries;
  for (unsigned Root = 0; Root < Graph.Nodes.size(); ++Root) {
    if (!Graph.Nodes[Root].IsRoot) continue;
    std::vector<unsigned> Order = Graph.region(Root);
    std::vector<dprof_node> Nodes;
    std::vector<dprof_edge> Edges;
    for (unsigned I : Order) {
      const PathNode &Node = Graph.Nodes[I];
      dprof_node Written{};
      Written.first_record = FirstRecord[I];
      Written.record_count = Node.Of->Records.size();
      Written.first_word = Node.Level - Graph.Nodes[Root].Level;
      Written.first_edge = Edges.size();
      Written.edge_count = Node.Edges.size();
      Written.flags = Node.Ends ? DPROF_NODE_ENDS : 0;
      Nodes.push_back(Written);
      for (const PathEdge &Edge : Node.Edges)
        Edges.push_back({uint32_t(lower_bound(Order, Edge.Node) - Order.begin()), Edge.Before});
    }
    Entries[Root] = Unit.region(Graph.Nodes[Root].Paths, Nodes, Edges);
    ++Counts.Regions;
    Counts.Paths += Graph.Nodes[Root].Paths;
  }
  return Entries;
}

void emitPaths(const PathGraph &Graph, const DenseMap<unsigned, uint32_t> &Entries, const RuntimeSymbols &Runtime,
               ThreadCursor &Cursor, const UnitWriter &Unit) {
  GraphEmitter(Graph, Entries, Runtime, Cursor, Unit).run();
}

} // namespace dprof
