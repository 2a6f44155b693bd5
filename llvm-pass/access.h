// Stage: plugin, "decide". An instruction -> the memory it accesses, whether it ends its segment, and if it is left out, why.
#ifndef DPROF_PASS_ACCESS_H
#define DPROF_PASS_ACCESS_H

#include "dprof/unit_format.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instruction.h"

namespace dprof {

struct AccessSlot {
  dprof_slot_kind Kind = DPROF_SLOT_LOAD;
  llvm::Value *Pointer = nullptr;
  uint32_t SizeBytes = 0; // of one lane; DPROF_SIZE_DYNAMIC: `Length` says
  uint16_t Lanes = 1;
  llvm::Value *Length = nullptr;
  llvm::Value *Mask = nullptr;
  bool MaskIsCount = false; // expanding and compressing accesses: as many leading lanes as the mask has bits
  llvm::Type *Accessed = nullptr;

  unsigned words() const;
  bool isAtomic() const { return Kind >= DPROF_SLOT_ATOMIC_LOAD && Kind <= DPROF_SLOT_ATOMIC_RESULT; }
  bool isBlock() const { return Kind >= DPROF_SLOT_COPY_LOAD && Kind <= DPROF_SLOT_FILL; }
};

struct Decision {
  llvm::SmallVector<AccessSlot, 2> Slots;
  bool EndsSegment = false;
  llvm::StringRef Refusal; // why memory that this instruction accesses is not recorded; empty: nothing is left out
};

Decision decide(llvm::Instruction &I, const llvm::DataLayout &Layout);

// Counts towards the instructions of a segment.
bool isCounted(const llvm::Instruction &I);

} // namespace dprof

#endif
