// Stage: replay, the second of three. References of a batch through the caches: what each met, if that was no plain hit. It knows lines and
// cores, and nothing of objects.
#pragma once

#include "hierarchy.h"
#include "reference_batch.h"
#include "whole_hierarchy.h"

namespace dprof {

class CacheStage {
public:
  CacheStage(const Input &input, const Plans &plans);
  void lookUp(ReferenceBatch &batch) {
    for (uint64_t page : batch.newPages) hierarchy.addPage(page);
    if (onePlainCore_) lookUpOnOneCore(batch);
    else if (whole) lookUpOnManyCores<true>(batch);
    else lookUpOnManyCores<false>(batch);
  }

  Hierarchy hierarchy;
  std::unique_ptr<WholeHierarchy> whole; // the caches of a machine that is not plain

private:
  /// What a reference of a slot says beside its address.
  struct Shape {
    uint32_t size;
    bool isBlock, isAtomic; // isBlock: the batch says each reference's size
  };
  struct Access {
    uint32_t reference, line, slot, size;
    uint64_t address;
    bool store, orderBound, isPiece; // isPiece: of an odd access
  };
  void lookUpOnOneCore(ReferenceBatch &batch);   // one_core.cpp
  void lookUpRun(ReferenceBatch &batch, LoopRun &run); // loop_run.cpp
  // many_cores.cpp
  template <bool Whole> void lookUpOnManyCores(ReferenceBatch &batch);
  template <bool Whole> void lookUp(ReferenceBatch &batch, Hierarchy::Core &core, const Access &access);
  template <bool Whole> void lookUpShared(uint32_t core, uint32_t line, const Access &access, uint32_t bits, Aside &aside);
  template <bool Whole> void lookUpOdd(ReferenceBatch &batch, Hierarchy::Core &core, Access access, const OddAccess &odd);

  const bool onePlainCore_;
  const unsigned granulesShift_; // of a line
  const uint32_t lineMask_;
  std::vector<Shape> shapes_; // by slot
};

} // namespace dprof
