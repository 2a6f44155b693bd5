// Stage: trace -> replay. The steps of a thread that runs alone -> batches of references, each with the granule that it lies in. Nothing here
// depends on an object or a cache, so a thread of its own may run ahead.
#pragma once

#include "decoder.h"
#include "page_map.h"
#include "reference_batch.h"

namespace dprof {

class ReferenceStream {
public:
  static constexpr uint32_t MOST_STREAMS = 64; // of a run
  ReferenceStream(const TraceFile &file, const Plans &plans, const ThreadChunks &chunks, unsigned lineShift);
  /// False at the end of the thread.
  bool next(ReferenceBatch &batch);

private:
  /// A record whose slots are all loads, stores and atomics, and that brings no stamp; `slots` is NO_INDEX for other records.
  struct alignas(16) PlainSegment {
    uint32_t firstSlot, slots, instructions;
  };
  /// What is left of a copy or fill whose pieces did not fit into the batch.
  struct Block {
    uint64_t source, destination, size = 0;
    uint32_t slot;
    bool copies;
  };
  /// Of a load, store or atomic.
  struct SlotShape {
    uint16_t reach : 15, store : 1; // size - 1, or ODD_REACH
  };
  /// Where `layOut` is, and what it reads.
  struct Layout {
    const PlainSegment *segments;
    const SlotShape *shapes;
    const PageMap *pages;
    uint32_t lineMask;
    const uint32_t *step, *stepEnd;
    const uint64_t *words;
    Reference *at, *full;
    uint32_t slot = 0, slotEnd = 0; // of the segment under way
    uint64_t time;
  };
  /// A loop that is under way, and where it is.
  struct Loop {
    const LoopShape *shape = nullptr;
    uint64_t iterations = 0; // left
    uint32_t records = 0;
    std::vector<uint64_t> addresses, strides;
  };
  static bool layOut(Layout &layout);
  void takePlain(ReferenceBatch &batch);
  void takeStep(ReferenceBatch &batch);
  const uint64_t *takeSlot(ReferenceBatch &batch, uint32_t slot, const uint64_t *words);
  void takeBlock(ReferenceBatch &batch);
  void beginLoop(const DecodedLoop &loop);
  void takeLoop(ReferenceBatch &batch);
  uint32_t layOutRun(ReferenceBatch &batch, uint32_t most);
  uint32_t iterationsOfStream(uint32_t word, uint32_t most) const;
  void layOutStream(ReferenceBatch &batch, uint32_t word, uint32_t iterations);
  void layOutIteration(ReferenceBatch &batch);
  void passIterations(uint32_t count);
  uint32_t granuleOf(ReferenceBatch &batch, uint64_t address);
  void append(ReferenceBatch &batch, uint32_t at, uint32_t slot, uint64_t address, uint64_t size);
  void change(ReferenceBatch &batch, Change::What what, uint32_t record, const uint64_t *words, uint32_t count);

  const Plans &plans_;
  Decoder decoder_;
  PageMap pages_;
  const uint32_t lineMask_;
  std::vector<PlainSegment> segments_; // by record
  std::vector<SlotShape> shapes_;
  uint32_t room_; // for the references of the largest step that is not done in parts
  Batch steps_;
  size_t step_ = 0, event_ = 0, word_ = 0;
  bool begun_ = false;    // the step is under way
  uint32_t nextSlot_ = 0; // of it
  Block block_;
  Loop loop_;
  uint32_t looped_ = 0; // references in runs of the batch at hand
  struct Function {
    uint32_t function;
    uint8_t flags;
  };
  std::vector<Function> functions_; // by record
  CallStack calls_;
  size_t called_ = 0; // steps that `calls_` has passed
  void passCalls(size_t end);
  uint64_t segmentCount_ = 0, slotCount_ = 0, time_ = 0;
};

} // namespace dprof
