// Stage: plugin. Accesses, sites and stack objects -> the slots of unit_format.h.
#ifndef DPROF_PASS_SLOT_DESCRIBER_H
#define DPROF_PASS_SLOT_DESCRIBER_H

#include "describe.h"
#include "segments.h"
#include "unit_writer.h"

namespace dprof {

class SlotDescriber {
public:
  SlotDescriber(llvm::Function &F, UnitWriter &Unit, const DebugTypes &Types, Statistics &Counts)
      : F(F), Layout(F.getParent()->getDataLayout()), Unit(Unit), Types(Types), Counts(Counts),
        Describe(Types, Layout) {}

  // `Piece`: the slot's number in its instruction.
  dprof_slot access(const llvm::Instruction &I, const AccessSlot &Access, unsigned Piece);
  dprof_slot site(const SitePlan &Site);
  dprof_slot argument(const AccessSlot &Given);
  std::vector<dprof_slot> objects(llvm::ArrayRef<llvm::AllocaInst *> Variables);

private:
  dprof_slot blank(dprof_slot_kind Kind);
  // A slot with the source position of `I`, or of the function's begin.
  dprof_slot at(const llvm::Instruction &I, dprof_slot_kind Kind);
  dprof_slot atEntry(dprof_slot_kind Kind);

  llvm::Function &F;
  const llvm::DataLayout &Layout;
  UnitWriter &Unit;
  const DebugTypes &Types;
  Statistics &Counts;
  Describer Describe;
};

} // namespace dprof

#endif
