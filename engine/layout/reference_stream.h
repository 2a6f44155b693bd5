// Stage: trace -> replay. The steps of a thread that runs alone -> batches of references. Nothing here depends on an
// object. No order depends on a cache, so a thread of its own may run ahead of the caches; or they are looked up here.
#pragma once

#include "layout/lookups.h"
#include "layout/steady_paths.h"
#include "layout/step_layout.h"
#include "trace/decoded_ahead.h"
#include "trace/order_binding.h"

namespace dprof {

class ReferenceStream : StepLayout {
public:
  /// With `lookups`, references are looked up there as they are laid out.
  ReferenceStream(const TraceFile &file, const Plans &plans, const Input &input, uint32_t number, Lookups *lookups);
  /// False at the end of the thread.
  bool next(ReferenceBatch &batch);
  /// Decodes some steps ahead, beside `next`; false if there are none, or enough.
  bool decodeAhead() { return decoder_.makeOne(); }
  using StepLayout::positions;

private:
  static constexpr uint32_t FULL_LOOPED = 8192; // references in runs
  /// The position of `layOut` and `layOutKnown`, and the columns that they read.
  struct Layout {
    const PlainSegment *segments;
    const SlotShape *shapes;
    const PlainPath *const *paths;
    const PageMap *pages;
    uint32_t lineMask;
    const uint32_t *step, *stepEnd;
    const uint64_t *words;
    Reference *const begin; // of the batch
    Reference *at, *full;
    uint64_t time;
    uint32_t slot = 0, slotEnd = 0;                      // of the segment under way
    const PlainWord *word = nullptr, *wordEnd = nullptr; // of the path under way,
    const uint64_t *coded = nullptr;                     // and its coded words;
    const PlainPath *path = nullptr;                     // if words are looked up:
    const PlainRun *run = nullptr, *runEnd = nullptr;    // of the path, behind `wordEnd`
    uint64_t segmentCount = 0;                           // or
    StepCounts counts = {};                              // if words are looked up
    // If the flow is wanted:
    uint64_t *times = nullptr;        // of the references that are laid out next
    const uint32_t *before = nullptr; // by word of the path under way
    uint64_t stepTime = 0;
    const uint64_t *wordsEnd = nullptr, *fetched = nullptr; // fetched: up to it, what misses would need is prefetched

    void beginStep(uint32_t instructions, StepCounts of) {
      step++;
      stepTime = time;
      time += instructions;
      counts += of;
    }
    template <bool Timed> void beginWords(const PlainRun &of) {
      word = path->words.data() + of.first;
      wordEnd = word + of.count;
      if constexpr (Timed) before = path->before.data() + of.first;
    }
    void fetch(const Lookups &lookups);
  };
  /// A loop that is under way, and where it is.
  struct Loop {
    const LoopShape *shape = nullptr;
    const uint32_t *records = nullptr;
    uint64_t iterations = 0; // left
    uint32_t recordCount = 0;
    uint32_t record = 0, word = 0; // next of an iteration that is laid out record by record
    uint64_t mostReferences = 0;   // of an iteration
    std::vector<uint64_t> addresses, strides;
  };
  template <bool Timed> static bool layOut(Layout &layout); // these and takePlain: plain_steps.cpp
  template <bool Timed> static bool layOutKnown(Layout &layout, Lookups &lookups, SteadyPaths &steady);
  bool layOutAll(ReferenceBatch &batch);
  void lookUp(ReferenceBatch &batch);
  bool isPlain(uint32_t step) const {
    return isRecordStep(step) ? segments_[step].slots != NO_INDEX : isPathStep(step);
  }
  void endAfterError(ReferenceBatch &batch);
  void takePlain(ReferenceBatch &batch);
  void takeStep(ReferenceBatch &batch);
  void takeKnown(ReferenceBatch &batch, uint32_t slot, uint64_t address);
  void beginLoop(const DecodedLoop &loop); // these: loop_steps.cpp
  void takeLoop(ReferenceBatch &batch);
  uint32_t layOutRun(ReferenceBatch &batch, uint32_t most);
  uint32_t iterationsOfStream(uint32_t word, uint32_t most) const;
  void layOutStream(ReferenceBatch &batch, uint32_t word, uint32_t iterations);
  void reserve(ReferenceBatch &batch, size_t references);
  void layOutIteration(ReferenceBatch &batch);
  void layOutRecord(ReferenceBatch &batch);
  uint64_t referencesOfRun(uint32_t iterations) const;
  void passIterations(uint32_t count);
  void skipPlain();
  void move(ReferenceBatch &batch, const Event &event);

  const uint32_t number_;
  const CpuPlacement cpus_;
  uint16_t core_;
  OrderBinding binding_; // if it may change cores
  Lookups *const lookups_;
  std::unique_ptr<SteadyPaths> steady_; // if references are looked up here
  uint32_t lookedUp_ = 0;               // references of the batch at hand,
  size_t runsLookedUp_ = 0;
  DecodedAhead decoder_;
  Batch steps_;
  size_t step_ = 0, event_ = 0, word_ = 0, callPath_ = 0;
  bool begun_ = false;    // the step is under way
  uint32_t nextSlot_ = 0; // of it
  bool ended_ = false;
  Loop loop_;
  uint32_t looped_ = 0; // references in runs of the batch at hand
};

} // namespace dprof
