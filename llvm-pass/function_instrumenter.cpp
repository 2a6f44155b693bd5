// Stage: plugin. One function: plans its records, describes them, and emits its paths into a body that only recorded
// programs run.
#include "function_instrumenter.h"

#include "dispatch.h"
#include "layout.h"
#include "loop_emitter.h"
#include "region_emitter.h"
#include "room.h"
#include "slot_describer.h"
#include "values.h"
#include <cstdlib>
#include <string_view>

using namespace llvm;

namespace dprof {

namespace {

class FunctionInstrumenter {
public:
  FunctionInstrumenter(Function &F, const InstrumentationContext &Context)
      : F(F), Layout(F.getParent()->getDataLayout()), Runtime(Context.Runtime), Unit(Context.Unit),
        Counts(Context.Counts), Describe(F, Context.Unit, Context.Types, Context.Counts), Placed(Context.Placed) {}

  bool run(GlobalVariable *Active, Selection &Chosen) {
    FunctionPlan Plan = planFunction(F, Layout, Counts);
    if (Plan.isEmpty()) return false;
    describe(Plan);
    Chosen.apply(F, Plan, Unit, Counts);
    if (Plan.isEmpty()) return false;
    if (wantsValues()) addValues(Plan);
    ++Counts.Functions;
    removeDescriptions(F);
    std::vector<LoopPlan> Loops = wantsLoops() ? findLoops(F, Plan) : std::vector<LoopPlan>();
    Instruction *BodyBegin = separateBody(Active);
    separateNormalEdges(Plan);
    std::vector<BlockPieces> Body = cutIntoPieces(Plan, BodyBegin, Unit.receivers(), Counts);
    if (hasProbes()) markBlocks(Body);
    for (const BlockPieces &Block : Body)
      for (const CallBase *Call : Block.OtherCalls) Unit.call(Unit.function(F), *Call);
    takeRecords(Loops, Body);
    PathGraph Graph = findRegions(Body);
    layOut(Graph, Layout);
    planRoom(Body, Graph);
    auto Entries = writeRegions(Graph, F, Unit, Counts);
    ThreadCursor Cursor(Runtime, BodyBegin);
    emitPaths(Graph, Entries, Runtime, Cursor, Unit);
    for (LoopPlan &Loop : Loops) emitLoop(Loop, F, Runtime, Cursor, Unit, Counts);
    for (Instruction *Cut : Plan.Cuts)
      if (auto *Call = dyn_cast<CallBase>(Cut)) Cursor.refreshAfter(*Call);
    Cursor.promote(F);
    if (hasProbes()) placeProbes(Graph, Loops);
    return true;
  }

private:
  // Values do not advance by constants. DPROF_LOOPS=0: for comparisons.
  static bool wantsLoops() {
    const char *Wanted = std::getenv("DPROF_LOOPS");
    return !wantsValues() && (!Wanted || std::string_view(Wanted) != "0");
  }

  void describe(FunctionPlan &Plan) {
    for (Segment &Part : Plan.Segments)
      for (const SegmentAccess &Access : Part.Accesses)
        for (unsigned Piece = 0; Piece < Access.Slots.size(); ++Piece)
          Part.Described.push_back(Describe.access(*Access.I, Access.Slots[Piece], Piece));
    for (SitePlan &Site : Plan.Sites) Site.Described = Describe.site(Site);
    Plan.DescribedObjects = Describe.objects(Plan.Objects);
    for (const AccessSlot &Given : Plan.Arguments) Plan.DescribedArguments.push_back(Describe.argument(Given));
  }

  // The first instruction of the code that records.
  Instruction *separateBody(GlobalVariable *Active) {
    StringRef Reason = reasonAgainstCopy(F);
    if (Reason.empty()) {
      BasicBlock *Front = addDormantBody(F, Active, Copies);
      Plain = Front->getTerminator()->getSuccessor(1);
      return &*Front->getTerminator()->getSuccessor(0)->getFirstInsertionPt();
    }
    ++Counts.AlwaysOn[Reason];
    return &*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  }

  bool hasProbes() const { return Placed && Plain; }

  void placeProbes(const PathGraph &Graph, ArrayRef<LoopPlan> Loops) {
    Placed->begin(*Plain);
    for (const PathNode &Node : Graph.Nodes) Placed->add(Node.Of->Records, Node.Of->BeginsBlock, Copies);
    for (const LoopPlan &Loop : Loops) Placed->add(Loop.Records, /*BeginBlock=*/true, Copies);
  }

  Function &F;
  const DataLayout &Layout;
  const RuntimeSymbols &Runtime;
  UnitWriter &Unit;
  Statistics &Counts;
  SlotDescriber Describe;
  Probes *Placed;
  BasicBlock *Plain = nullptr; // where the plain body begins, if there is one
  ValueToValueMapTy Copies;    // to it
};

} // namespace

bool instrumentFunction(Function &F, const InstrumentationContext &Context) {
  return FunctionInstrumenter(F, Context).run(Context.Active, Context.Chosen);
}

} // namespace dprof
