// Stage: plugin. The blocks of a function -> segments, function boundaries and allocation sites, before anything is changed.
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
  unsigned Ask = 0; // words to ask room for; 0: it is there
  unsigned words() const;
  unsigned slots() const;
};

struct SitePlan {
  llvm::CallBase *Call;
  AllocationCall What;
  unsigned Ask = 0;
  unsigned words() const { return What.Role == AllocationCall::Free ? 1 : 2; }
};

struct MarkerPlan {
  llvm::Instruction *Before = nullptr;
  unsigned Ask = 0;
};

struct FunctionPlan {
  std::vector<Segment> Segments;
  std::vector<SitePlan> Sites;
  std::vector<llvm::CallBase *> Calls; // whatever may run code of somebody else
  // Where entry and exit are no part of a segment.
  MarkerPlan Entry;
  std::vector<MarkerPlan> Exits;
  // Stack variables whose address escapes.
  std::vector<llvm::AllocaInst *> Objects;

  bool isEmpty() const { return Segments.empty() && Sites.empty() && !Entry.Before && Exits.empty(); }
};

FunctionPlan planFunction(llvm::Function &F, const llvm::DataLayout &Layout, Statistics &Counts);

} // namespace dprof

#endif
