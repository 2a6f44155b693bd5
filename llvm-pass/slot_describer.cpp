// Stage: plugin. Accesses, sites and stack objects -> the slots of unit_format.h.
#include "slot_describer.h"

#include "string_calls.h"
#include "values.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace dprof {

dprof_slot SlotDescriber::blank(dprof_slot_kind Kind) {
  dprof_slot Slot{};
  Slot.kind = Kind;
  Slot.lanes = 1;
  Slot.offset = DPROF_OFFSET_UNKNOWN;
  Slot.function = Unit.function(F);
  return Slot;
}

dprof_slot SlotDescriber::at(const Instruction &I, dprof_slot_kind Kind) {
  dprof_slot Slot = blank(Kind);
  if (const DILocation *Where = I.getDebugLoc()) {
    Slot.function = Unit.function(Where->getScope()->getSubprogram());
    Slot.file = Unit.file(*Where->getScope());
    Slot.line = lineOf(*Where);
    Slot.column = std::min(Where->getColumn(), 0xffffu);
    Slot.inlined_at = Unit.position(Where->getInlinedAt());
  }
  return Slot;
}

dprof_slot SlotDescriber::atEntry(dprof_slot_kind Kind) {
  dprof_slot Slot = blank(Kind);
  if (const DISubprogram *Subprogram = F.getSubprogram()) {
    Slot.file = Unit.file(*Subprogram);
    Slot.line = Subprogram->getLine();
  }
  return Slot;
}

dprof_slot SlotDescriber::access(const Instruction &I, const AccessSlot &Access, unsigned Piece) {
  Description Known = Describe.late(I, Access, Piece);
  dprof_slot Slot = Access.IsArgument ? atEntry(Access.Kind) : at(I, Access.Kind);
  Slot.size_bytes = Access.SizeBytes;
  Slot.lanes = Access.Lanes;
  Slot.type = Unit.type(Known.Type);
  Slot.path = Unit.string(Known.Path);
  Slot.variable = Unit.variable(Known.Variable);
  if (Known.Offset && *Known.Offset < DPROF_OFFSET_UNKNOWN) Slot.offset = *Known.Offset;
  StringRef Scalar = Slot.type ? "" : Describer::scalarName(I, Access);
  if (!Scalar.empty()) {
    Slot.type = Unit.scalar(Scalar, Access.SizeBytes);
    Slot.offset = 0;
  }
  ++Counts.Accesses;
  ++Counts.Described[DebugTypes::asRecord(Known.Type) ? "record"
                     : Known.Variable                 ? "variable"
                     : Slot.type                      ? "scalar"
                                                      : "none"];
  return Slot;
}

dprof_slot SlotDescriber::site(const SitePlan &Site) {
  dprof_slot Slot = at(*Site.Call, DPROF_SLOT_SITE);
  if (Site.What.Role == AllocationCall::Free) return Slot;
  auto Pieces = readDescription(*Site.Call);
  bool IsOfArgument = duplicates(*Site.Call); // what is described is the string that it copies
  DIType *Declared = Pieces.empty() || IsOfArgument ? nullptr : Pieces[0].Type;
  if (!Declared) Declared = declaredType(*Site.Call, Types, Describe.places());
  Slot.type = Unit.allocated(Declared);
  Slot.offset = Site.What.IsArrayNew ? arrayCookieBytes(*Site.Call) : 0;
  Slot.path = Unit.receiver(Site.Call->getDebugLoc());
  return Slot;
}

dprof_slot SlotDescriber::argument(const AccessSlot &Given) {
  dprof_slot Slot = atEntry(Given.Kind);
  Slot.size_bytes = Given.SizeBytes;
  Parameter Is = parameterOf(*cast<Argument>(Given.Logged));
  if (!Is.Variable) return Slot;
  Slot.variable = Unit.variable(Is.Variable);
  Slot.type = Unit.type(Is.Variable->getType());
  Slot.offset = std::min<uint64_t>(Is.Offset, DPROF_OFFSET_UNKNOWN);
  Slot.line = Is.Variable->getLine();
  return Slot;
}

std::vector<dprof_slot> SlotDescriber::objects(ArrayRef<AllocaInst *> Variables) {
  std::vector<dprof_slot> Slots;
  for (AllocaInst *Variable : Variables) {
    dprof_slot Slot = at(*Variable, DPROF_SLOT_OBJECT);
    const Place &Here = Describe.places().find(Variable);
    Slot.size_bytes = std::min<uint64_t>(Variable->getAllocationSize(Layout)->getFixedValue(), DPROF_SIZE_DYNAMIC - 1);
    Slot.variable = Unit.variable(Here.Variable);
    Slot.type = Here.Variable ? Unit.type(Here.Variable->getType()) : 0;
    Slot.offset = 0;
    if (Here.Variable) {
      auto *Local = dyn_cast<DILocalVariable>(Here.Variable);
      Slot.function = Unit.function(Local->getScope()->getSubprogram());
      Slot.file = Unit.file(*Local->getScope());
      Slot.line = Local->getLine();
      Slot.inlined_at = 0;
    }
    Slots.push_back(Slot);
    ++Counts.StackObjects;
  }
  return Slots;
}

} // namespace dprof
