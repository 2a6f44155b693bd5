// Stage: plugin. The blocks of a function -> segments, function boundaries and allocation sites, before anything is
// changed.
#ifndef DPROF_PASS_SEGMENTS_H
#define DPROF_PASS_SEGMENTS_H

#include "access.h"
#include "allocation_site.h"
#include "statistics.h"
#include "llvm/IR/Instructions.h"
#include <vector>

namespace dprof {

struct SegmentAccess {
  llvm::Instruction *I;
  llvm::SmallVector<AccessSlot, 2> Slots;
  bool MayNotReturn; // the record must be whole before it
};

struct Segment {
  std::vector<SegmentAccess> Accesses;
  uint64_t Instructions = 0;
  bool Enters = false, Leaves = false;
  std::vector<dprof_slot> Described; // the unit's descriptions of its slots
  unsigned words() const;
  bool isStamped() const { return Accesses.back().Slots.back().isAtomic(); }
};

struct SitePlan {
  llvm::CallBase *Call;
  AllocationCall What;
  dprof_slot Described{};
  unsigned words() const { return What.Role == AllocationCall::Free ? 1 : 2; }
};

struct FunctionPlan {
  std::vector<Segment> Segments;
  std::vector<SitePlan> Sites;
  // Instructions that may themselves record, unwind or not return: nothing is known behind them.
  std::vector<llvm::Instruction *> Cuts;
  // The entry and the exits that are not part of a segment.
  bool HasEntryMarker = false;
  std::vector<llvm::Instruction *> Exits; // before these
  // Stack variables with an address that escapes.
  std::vector<llvm::AllocaInst *> Objects;
  std::vector<dprof_slot> DescribedObjects;
  // The function's arguments, if somebody wants to know them.
  llvm::SmallVector<AccessSlot, 4> Arguments;
  std::vector<dprof_slot> DescribedArguments;

  bool isEmpty() const { return Segments.empty() && Sites.empty() && !HasEntryMarker && Exits.empty(); }
};

FunctionPlan planFunction(llvm::Function &F, const llvm::DataLayout &Layout, Statistics &Counts);

} // namespace dprof

#endif
