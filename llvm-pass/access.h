// Stage: plugin, "decide". An instruction -> the memory it accesses, whether it ends its segment, and if it is left
// out, why.
#ifndef DPROF_PASS_ACCESS_H
#define DPROF_PASS_ACCESS_H

#include "dprof/abi.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instruction.h"
#include <optional>

namespace dprof {

// A number of bytes that is known only at run time: __dprof_measure's arguments (null: none), and a constant to add.
struct MeasuredBytes {
  unsigned How; // enum dprof_measure
  llvm::Value *A, *B, *Limit, *Wanted;
  int Plus;
};

struct AccessSlot {
  dprof_slot_kind Kind = DPROF_SLOT_LOAD;
  llvm::Value *Pointer = nullptr;
  uint32_t SizeBytes = 0; // of one lane; DPROF_SIZE_DYNAMIC: `Length` says
  uint16_t Lanes = 1;
  llvm::Value *Length = nullptr;
  std::optional<MeasuredBytes> MeasuredLength; // in place of `Length`
  std::optional<MeasuredBytes> MeasuredOffset; // it begins so far behind `Pointer`
  llvm::Value *Mask = nullptr; // a bit per lane, or a vector whose signs say which lanes are active; its first `Lanes`
  bool MaskIsCount = false;    // expanding and compressing accesses: as many leading lanes as the mask has bits
  llvm::Value *Index =
      nullptr; // gathers from one base: lane i is at Pointer + Index[i] * Scale; else Pointer is a vector
  unsigned Scale = 1;
  llvm::Type *Accessed = nullptr;
  llvm::Value *Logged = nullptr; // VALUE, ARGUMENT: the value of their word
  bool IsWhole = false;          // it covers a whole object, as block operations do
  bool IsArgument = false;       // no instruction makes it: it is there when the function is entered

  unsigned words() const;
  bool isAtomic() const { return Kind >= DPROF_SLOT_ATOMIC_LOAD && Kind <= DPROF_SLOT_ATOMIC_RESULT; }
  // True if the slot names all that it covers, not the innermost field.
  bool isBlock() const {
    return IsWhole || (Kind >= DPROF_SLOT_COPY_LOAD && Kind <= DPROF_SLOT_FILL) || Kind == DPROF_SLOT_SCAN;
  }
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
