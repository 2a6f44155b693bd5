// Stage: plugin, "describe". Finds the type, field and variable of an access: early, while the source's structure is
// still there; and late, for accesses that the optimiser made since.
#ifndef DPROF_PASS_DESCRIBE_H
#define DPROF_PASS_DESCRIBE_H

#include "access.h"
#include "debug_types.h"
#include "description.h"
#include "place.h"
#include "llvm/IR/Module.h"

namespace dprof {

// Attaches `!dprof` to every access and allocation call of the module.
void describeModule(llvm::Module &M);

class Describer {
public:
  Describer(const DebugTypes &Types, const llvm::DataLayout &Layout) : Types(Types), Places(Types, Layout) {}

  Description early(const llvm::Instruction &I, const AccessSlot &Slot);
  // Own metadata, else the TBAA tag, else debug records of the base pointer; `Piece` is the slot's number in the
  // instruction.
  Description late(const llvm::Instruction &I, const AccessSlot &Slot, unsigned Piece);
  // The name of a scalar that only TBAA knows; empty if it does not.
  static llvm::StringRef scalarName(const llvm::Instruction &I, const AccessSlot &Slot);

  PlaceFinder &places() { return Places; }

private:
  Description atPlace(const Place &P, const AccessSlot &Slot, std::optional<uint64_t> Bit);
  Description fromTbaa(const llvm::Instruction &I, const AccessSlot &Slot);

  const DebugTypes &Types;
  PlaceFinder Places;
};

} // namespace dprof

#endif
