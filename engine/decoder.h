// Stage: trace -> replay. One thread's chunks -> batches of steps: record numbers, their words, and events, a few thousand at a time.
#pragma once

#include <memory>

#include "column.h"
#include "record_plan.h"
#include "zeroed_array.h"

namespace dprof {

constexpr uint32_t EVENT_STEP = 0xffffffff;

/// `steps[i]` is a record or EVENT_STEP; words and events are consumed in order. A stamped record has the next event too.
struct Batch {
  std::vector<uint32_t> steps;
  std::vector<uint64_t> words;
  std::vector<Event> events;
  size_t stepCount = 0, eventCount = 0;
};

class Decoder {
public:
  Decoder(const TraceFile &file, const Plans &plans, const ThreadChunks &chunks);
  /// False at the end of the thread.
  bool next(Batch &batch);
  uint64_t bytesRead() const { return bytesRead_; }

private:
  struct RecordState {
    uint64_t link;
    uint32_t successor; // xor the record itself: all zero is the starting state
  };
  struct WordState {
    uint64_t last, stride;
  };
  bool openChunk();
  void closeChunk();
  uint32_t predicted() const { return previous_ == NO_INDEX ? 0 : records_[previous_].successor ^ previous_; }
  uint64_t *predictedSteps(Batch &batch, uint64_t *out, const uint64_t *limit);
  uint64_t *codedStep(Batch &batch, uint64_t *out);
  void takeEvent(Batch &batch);

  const TraceFile &file_;
  const Plans &plans_;
  const ThreadChunks &chunks_;
  size_t chunk_ = 0;
  ChunkColumns columns_;
  EventReader events_;
  uint32_t stepsLeft_ = 0, eventsLeft_ = 0;
  uint64_t runLeft_ = 0;
  bool open_ = false, runKnown_ = false;
  uint32_t previous_ = NO_INDEX;
  uint64_t base_ = 0;
  uint64_t bytesRead_ = 0;
  ZeroedArray<RecordState> records_;
  ZeroedArray<WordState> words_;
};

} // namespace dprof
