// Stage: plugin. One translation unit: decides per function, describes its accesses, emits their records.
#include "instrument.h"

#include "describe.h"
#include "dispatch.h"
#include "emitter.h"
#include "globals.h"
#include "module_constructor.h"
#include "names.h"
#include "room.h"
#include "segments.h"
#include "unit_writer.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <cstdlib>

using namespace llvm;

namespace dprof {

namespace {

StringRef reasonToSkip(const Function &F) {
  if (F.hasFnAttribute(Attribute::Naked))
    return "naked function";
  if (F.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
    return "function that opted out";
  if (F.hasAvailableExternallyLinkage())
    return "function emitted elsewhere";
  for (const GlobalIFunc &Indirect : F.getParent()->ifuncs())
    if (Indirect.getResolverFunction() == &F)
      return "ifunc resolver";
  return "";
}

class FunctionInstrumenter {
public:
  FunctionInstrumenter(Function &F, const RuntimeSymbols &Runtime, UnitWriter &Unit, const DebugTypes &Types, Statistics &Counts)
      : F(F), Layout(F.getParent()->getDataLayout()), Runtime(Runtime), Unit(Unit), Types(Types), Counts(Counts),
        Describe(Types, Layout) {}

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
        Slots = objectSlots();
      for (const SegmentAccess &Access : Part.Accesses)
        for (unsigned Piece = 0; Piece < Access.Slots.size(); ++Piece)
          Slots.push_back(describeSlot(*Access.I, Access.Slots[Piece], Piece));
      SegmentSlots.push_back(std::move(Slots));
    }
    for (const SitePlan &Site : Plan.Sites)
      SiteSlots.push_back(describeSite(Site));
  }

  dprof_slot at(const Instruction &I, dprof_slot_kind Kind) {
    dprof_slot Slot{};
    Slot.kind = Kind;
    Slot.lanes = 1;
    Slot.offset = DPROF_OFFSET_UNKNOWN;
    Slot.function = Unit.function(F);
    if (const DILocation *Where = I.getDebugLoc()) {
      Slot.function = Unit.function(Where->getScope()->getSubprogram());
      Slot.file = Unit.string(Where->getFilename());
      // Line 0 is code that belongs to no line: the function's stands for it.
      Slot.line = Where->getLine() ? Where->getLine() : Where->getScope()->getSubprogram()->getLine();
      Slot.column = std::min(Where->getColumn(), 0xffffu);
    }
    return Slot;
  }

  dprof_slot describeSlot(const Instruction &I, const AccessSlot &Access, unsigned Piece) {
    Description Known = Describe.late(I, Access, Piece);
    dprof_slot Slot = at(I, Access.Kind);
    Slot.size_bytes = Access.SizeBytes;
    Slot.lanes = Access.Lanes;
    Slot.type = Unit.type(Known.Type);
    Slot.path = Unit.string(Known.Path);
    Slot.variable = Unit.variable(Known.Variable);
    if (Known.Offset && *Known.Offset < DPROF_OFFSET_UNKNOWN)
      Slot.offset = *Known.Offset;
    StringRef Scalar = Slot.type ? "" : Describer::scalarName(I, Access);
    if (!Scalar.empty()) {
      Slot.type = Unit.scalar(Scalar, Access.SizeBytes);
      Slot.offset = 0;
    }
    ++Counts.Accesses;
    ++Counts.Described[DebugTypes::asRecord(Known.Type) ? "record" : Known.Variable ? "variable" : Slot.type ? "scalar" : "none"];
    return Slot;
  }

  dprof_slot describeSite(const SitePlan &Site) {
    dprof_slot Slot = at(*Site.Call, DPROF_SLOT_SITE);
    if (Site.What.Role == AllocationCall::Free)
      return Slot;
    auto Pieces = readDescription(*Site.Call);
    DIType *Declared = Pieces.empty() ? nullptr : Pieces[0].Type;
    if (!Declared)
      Declared = declaredType(*Site.Call, Types, Describe.places());
    Slot.type = Unit.type(Declared);
    Slot.offset = Site.What.IsArrayNew ? arrayCookieBytes(*Site.Call) : 0;
    return Slot;
  }

  std::vector<dprof_slot> objectSlots() {
    std::vector<dprof_slot> Slots;
    for (AllocaInst *Variable : Plan.Objects) {
      dprof_slot Slot = at(*Variable, DPROF_SLOT_OBJECT);
      const Place &Here = Describe.places().find(Variable);
      Slot.size_bytes = std::min<uint64_t>(Variable->getAllocationSize(Layout)->getFixedValue(), DPROF_SIZE_DYNAMIC - 1);
      Slot.variable = Unit.variable(Here.Variable);
      Slot.type = Here.Variable ? Unit.type(Here.Variable->getType()) : 0;
      Slot.offset = 0;
      if (Here.Variable) {
        auto *Local = dyn_cast<DILocalVariable>(Here.Variable);
        Slot.function = Unit.function(Local->getScope()->getSubprogram());
        Slot.file = Unit.string(Local->getFilename());
        Slot.line = Local->getLine();
      }
      Slots.push_back(Slot);
      ++Counts.StackObjects;
    }
    return Slots;
  }

  void emitAll(Instruction *BodyBegin) {
    for (unsigned I = 0; I < Plan.Segments.size(); ++I)
      emitSegment(Plan.Segments[I], SegmentSlots[I]);
    for (unsigned I = 0; I < Plan.Sites.size(); ++I)
      emitSite(Plan.Sites[I], SiteSlots[I]);
    for (const MarkerPlan &Exit : Plan.Exits)
      emitMarker(Exit.Before, Exit.Ask, DPROF_RECORD_EXIT, {});
    if (Plan.Entry.Before)
      emitMarker(BodyBegin, Plan.Entry.Ask, DPROF_RECORD_ENTRY, objectSlots());
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
  const DebugTypes &Types;
  Statistics &Counts;
  Describer Describe;
  FunctionPlan Plan;
  std::vector<std::vector<dprof_slot>> SegmentSlots;
  std::vector<dprof_slot> SiteSlots;
  ThreadCursor *Cursor = nullptr;
};

} // namespace

bool instrumentModule(Module &M) {
  Triple Target(M.getTargetTriple());
  bool IsSupported = (Target.getArch() == Triple::x86_64 || Target.getArch() == Triple::aarch64) && Target.isOSLinux() &&
                     M.getDataLayout().getPointerSizeInBits() == 64;
  if (!IsSupported || M.getNamedMetadata("dprof.instrumented"))
    return false;
  Statistics Counts;
  DebugTypes Types(M);
  UnitWriter Unit(M, Types);
  SmallVector<Function *, 64> Functions;
  for (Function &F : M)
    if (!F.isDeclaration() && !F.getName().starts_with(names::Prefix))
      Functions.push_back(&F);
  describeGlobals(M, Unit, Counts);
  RuntimeSymbols Runtime(M);
  GlobalVariable *Active = activeByte(M);
  for (Function *F : Functions) {
    StringRef Reason = reasonToSkip(*F);
    if (!Reason.empty()) {
      ++Counts.Skipped[Reason];
      removeDescriptions(*F);
      continue;
    }
    FunctionInstrumenter Instrumenter(*F, Runtime, Unit, Types, Counts);
    if (!Instrumenter.run(Active))
      removeDescriptions(*F);
  }
  bool HasAny = !Unit.isEmpty();
  Unit.finish();
  if (HasAny)
    addModuleConstructor(M, Active);
  M.getOrInsertNamedMetadata("dprof.instrumented");
  Counts.print(M.getSourceFileName());
  bool WantsCheck = std::getenv("DPROF_VERIFY");
  if (WantsCheck && verifyModule(M, &errs()))
    report_fatal_error("dprof: the instrumented module is not valid");
  return true;
}

} // namespace dprof
