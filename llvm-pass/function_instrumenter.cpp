// Stage: plugin. One function: plans its records, describes them, and emits them into a body that only recorded programs run.
#include "function_instrumenter.h"

#include "dispatch.h"
#include "room.h"
#include "segments.h"
#include "slot_describer.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace dprof {

namespace {

class FunctionInstrumenter {
public:
  FunctionInstrumenter(Function &F, const RuntimeSymbols &Runtime, UnitWriter &Unit, const DebugTypes &Types, Statistics &Counts)
      : F(F), Layout(F.getParent()->getDataLayout()), Runtime(Runtime), Unit(Unit), Counts(Counts),
        Describe(F, Unit, Types, Counts) {}

  bool run(GlobalVariable *Active) {
    Plan = planFunction(F, Layout, Counts);
    if (Plan.isEmpty())
      return false;
    planRoom(F, Plan);
    ++Counts.Functions;
    describeAll();
    removeDescriptions(F);
    StringRef Reason = reasonAgainstCopy(F);
    Instruction *BodyBegin;
    if (Reason.empty()) {
      BasicBlock *Front = addDormantBody(F, Active);
      BodyBegin = &*Front->getTerminator()->getSuccessor(0)->getFirstInsertionPt();
    } else {
      ++Counts.AlwaysOn[Reason];
      BodyBegin = &*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
    }
    ThreadCursor Own(Runtime, BodyBegin);
    Cursor = &Own;
    emitAll(BodyBegin);
    for (CallBase *Call : Plan.Calls)
      Own.refreshAfter(*Call);
    Own.promote(F);
    return true;
  }

private:
  void describeAll() {
    for (const Segment &Part : Plan.Segments) {
      std::vector<dprof_slot> Slots;
      if (Part.Enters)
        Slots = Describe.objects(Plan.Objects);
      for (const SegmentAccess &Access : Part.Accesses)
        for (unsigned Piece = 0; Piece < Access.Slots.size(); ++Piece)
          Slots.push_back(Describe.access(*Access.I, Access.Slots[Piece], Piece));
      SegmentSlots.push_back(std::move(Slots));
    }
    for (const SitePlan &Site : Plan.Sites)
      SiteSlots.push_back(Describe.site(Site));
  }

  void emitAll(Instruction *BodyBegin) {
    for (unsigned I = 0; I < Plan.Segments.size(); ++I)
      emitSegment(Plan.Segments[I], SegmentSlots[I]);
    for (unsigned I = 0; I < Plan.Sites.size(); ++I)
      emitSite(Plan.Sites[I], SiteSlots[I]);
    for (const MarkerPlan &Exit : Plan.Exits)
      emitMarker(Exit.Before, Exit.Ask, DPROF_RECORD_EXIT, {});
    if (Plan.Entry.Before)
      emitMarker(BodyBegin, Plan.Entry.Ask, DPROF_RECORD_ENTRY, Describe.objects(Plan.Objects));
  }

  uint8_t frameFlag() const { return Plan.Objects.empty() ? 0 : DPROF_RECORD_FRAME; }

  void emitObjects(RecordEmitter &Emit, IRBuilder<> &Build) {
    for (AllocaInst *Variable : Plan.Objects)
      Emit.word(Build, Variable);
  }

  uint32_t addRecord(dprof_record_tag Tag, uint8_t Flags, unsigned Words, uint32_t Instructions, ArrayRef<dprof_slot> Slots) {
    dprof_record Record{};
    Record.tag = Tag;
    Record.flags = Flags;
    Record.words = Words;
    Record.instructions = Instructions;
    Record.function = Unit.function(F);
    return Unit.record(Record, Slots);
  }

  void emitMarker(Instruction *Before, unsigned Ask, uint8_t Flag, ArrayRef<dprof_slot> Objects) {
    uint32_t Record = addRecord(DPROF_RECORD_MARKER, Flag | frameFlag(), Objects.size(), 0, Objects);
    RecordEmitter Emit(Runtime, *Cursor, Objects.size(), Ask, Before);
    BuilderBefore Build(Before);
    if (!Objects.empty())
      emitObjects(Emit, Build);
    Emit.publish(Build, Unit.recordAddress(Record));
    ++Counts.Markers;
  }

  void emitSegment(const Segment &Part, ArrayRef<dprof_slot> Slots) {
    unsigned ObjectWords = Part.Enters ? Plan.Objects.size() : 0;
    const SegmentAccess &Last = Part.Accesses.back();
    bool IsStamped = Last.Slots.back().isAtomic();
    unsigned Words = ObjectWords + Part.words();
    uint8_t Flags = (Part.Enters ? DPROF_RECORD_ENTRY : 0) | (Part.Leaves ? DPROF_RECORD_EXIT : 0) |
                    (IsStamped ? DPROF_RECORD_STAMPED : 0);
    if (Part.Enters || Part.Leaves)
      Flags |= frameFlag();
    uint32_t Record = addRecord(DPROF_RECORD_SEGMENT, Flags, Words, std::min<uint64_t>(Part.Instructions, UINT32_MAX), Slots);
    Constant *Header = Unit.recordAddress(Record);
    ++Counts.Segments;

    RecordEmitter Emit(Runtime, *Cursor, Words, Part.Ask, Part.Accesses.front().I);
    if (ObjectWords) {
      BuilderBefore Build(Part.Accesses.front().I);
      emitObjects(Emit, Build);
    }
    for (const SegmentAccess &Access : Part.Accesses) {
      BuilderBefore Before(Access.I);
      for (const AccessSlot &Slot : Access.Slots)
        Emit.slot(Before, Slot);
      if (&Access != &Last)
        continue;
      dprof_slot_kind Kind = Access.Slots.back().Kind;
      bool IsRelease = Kind == DPROF_SLOT_ATOMIC_STORE || Kind == DPROF_SLOT_ATOMIC_UPDATE;
      if (IsStamped && IsRelease)
        Emit.stamp(Before);
      if (Access.MayNotReturn) {
        Emit.publish(Before, Header);
        continue;
      }
      BuilderAfter After(Access.I);
      if (IsStamped && !IsRelease)
        Emit.stamp(After);
      Emit.publish(After, Header);
    }
  }

  void emitSite(const SitePlan &Site, const dprof_slot &Slot) {
    CallBase *Call = Site.Call;
    bool IsFree = Site.What.Role == AllocationCall::Free;
    Instruction *Where = Call;
    if (!IsFree) {
      Where = afterCall(*Call);
      if (!Where) {
        ++Counts.Skipped["allocation in a tail position"];
        return;
      }
    }
    unsigned Words = Site.words();
    uint32_t Record = addRecord(IsFree ? DPROF_RECORD_FREE : DPROF_RECORD_ALLOCATION, 0, Words, 0, Slot);
    ++Counts.Sites;
    RecordEmitter Emit(Runtime, *Cursor, Words, Site.Ask, Where);
    BuilderBefore Build(Where);
    if (IsFree) {
      Emit.word(Build, Call->getArgOperand(Site.What.PointerArgument));
    } else {
      Emit.word(Build, allocatedAddress(Build, Site));
      Emit.word(Build, allocatedBytes(Build, Site));
    }
    Emit.publish(Build, Unit.recordAddress(Record));
  }

  // The instruction after the call returned normally; null if the call is followed by the return at once.
  Instruction *afterCall(CallBase &Call) {
    if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
      BasicBlock *Normal = Invoke->getNormalDest();
      if (!Normal->getSinglePredecessor())
        Normal = SplitEdge(Invoke->getParent(), Normal);
      return &*Normal->getFirstInsertionPt();
    }
    return Call.isMustTailCall() ? nullptr : Call.getNextNonDebugInstruction();
  }

  Value *allocatedAddress(IRBuilder<> &Build, const SitePlan &Site) {
    if (Site.What.OutArgument < 0)
      return Site.Call;
    // On failure the out argument keeps its old value; null is ignored.
    Value *Old = Build.CreateAlignedLoad(Build.getPtrTy(), Site.Call->getArgOperand(Site.What.OutArgument), Align(1));
    Value *Succeeded = Build.CreateIsNull(Site.Call);
    return Build.CreateSelect(Succeeded, Old, Constant::getNullValue(Build.getPtrTy()));
  }

  Value *allocatedBytes(IRBuilder<> &Build, const SitePlan &Site) {
    if (Site.What.SizeArgument < 0)
      return Build.getInt64(0);
    auto wide = [&](int Argument) { return Build.CreateZExtOrTrunc(Site.Call->getArgOperand(Argument), Build.getInt64Ty()); };
    Value *Size = wide(Site.What.SizeArgument);
    return Site.What.CountArgument < 0 ? Size : Build.CreateMul(Size, wide(Site.What.CountArgument));
  }

  Function &F;
  const DataLayout &Layout;
  const RuntimeSymbols &Runtime;
  UnitWriter &Unit;
  Statistics &Counts;
  SlotDescriber Describe;
  FunctionPlan Plan;
  std::vector<std::vector<dprof_slot>> SegmentSlots;
  std::vector<dprof_slot> SiteSlots;
  ThreadCursor *Cursor = nullptr;
};

} // namespace

bool instrumentFunction(Function &F, const InstrumentationContext &Context) {
  return FunctionInstrumenter(F, Context.Runtime, Context.Unit, Context.Types, Context.Counts).run(Context.Active);
}

} // namespace dprof
