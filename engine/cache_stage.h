// Stage: replay, the second of three. References of a batch through the caches: what each met, if that was no plain hit. It knows lines and
// cores, and nothing of objects.
#pragma once

#include "hierarchy.h"
#include "reference_batch.h"

namespace dprof {

class CacheStage {
public:
  CacheStage(const Input &input, const Plans &plans);
  void lookUp(ReferenceBatch &batch) {
    for (uint64_t page : batch.newPages) hierarchy.addPage(page);
    if (hierarchy.single()) lookUpOnOneCore(batch);
    else lookUpOnManyCores(batch);
  }

  Hierarchy hierarchy;

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
  void lookUpOnManyCores(ReferenceBatch &batch); // many_cores.cpp
  void lookUp(ReferenceBatch &batch, Hierarchy::Core &core, const Access &access);
  bool lookUpShared(ReferenceBatch &batch, const Hierarchy::Core &core, uint32_t line, const Access &access, uint32_t bits);
  void lookUpOdd(ReferenceBatch &batch, Hierarchy::Core &core, Access access, const OddAccess &odd);

  const unsigned granulesShift_; // of a line
  const uint32_t lineMask_;
  std::vector<Shape> shapes_; // by slot
};

} // namespace dprof
