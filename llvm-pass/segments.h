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
  unsigned words() const;
  unsigned slots() const;
};

struct SitePlan {
  llvm::CallBase *Call;
  AllocationCall What;
};

struct FunctionPlan {
  std::vector<Segment> Segments;
  std::vector<SitePlan> Sites;
  std::vector<llvm::CallBase *> Calls; // whatever may run code of somebody else
  // Where entry and exit are no part of a segment: the instruction that a marker goes before.
  llvm::Instruction *EntryMarker = nullptr;
  std::vector<llvm::Instruction *> ExitMarkers;
  // Stack variables whose address escapes.
  std::vector<llvm::AllocaInst *> Objects;

  bool isEmpty() const { return Segments.empty() && Sites.empty() && !EntryMarker && ExitMarkers.empty(); }
};

FunctionPlan planFunction(llvm::Function &F, const llvm::DataLayout &Layout, Statistics &Counts);

} // namespace dprof

#endif
