// Stage: trace -> replay. One thread's chunks -> batches of steps: record numbers, their words, and events, a few
// thousand at a time. A decoder shares no changing state with others, so it may run on a thread of its own.
#pragma once

#include <algorithm>

#include "trace/column.h"
#include "trace/path_table.h"
#include "trace/process_space.h"
#include "trace/raw_column.h"

namespace dprof {

constexpr uint32_t EVENT_STEP = 0xffffffff;
constexpr uint32_t LOOP_STEP = 0x80000000; // and the loop's index
constexpr uint32_t PATH_STEP = 0xc0000000; // and the step's index: a path of plain segments
inline bool isPathStep(uint32_t step) { return step >= PATH_STEP && step != EVENT_STEP; }
inline bool isRecordStep(uint32_t step) { return step < LOOP_STEP; }

/// All whole iterations of a loop of plain segments. Its words are those of the first iteration, then as many strides.
struct DecodedLoop {
  Path *path;
  uint64_t iterations; // at least one
};

/// `steps[i]` is a record, EVENT_STEP, a loop or a path. Words and events are consumed in order; a path consumes its
/// coded words. A stamped record has the next event too.
struct Batch {
  std::vector<uint32_t> steps;
  std::vector<uint64_t> words;
  std::vector<Event> events;
  std::vector<DecodedLoop> loops;
  std::vector<const PlainPath *> paths;   // by step
  std::vector<CallStack::Path> callPaths; // of each allocation, if the decoder follows calls
  std::vector<const JoinedRun *> joined;  // of paths that are new in it
  size_t stepCount = 0, eventCount = 0;
  uint64_t passed = 0; // of the chunks opened so far, as Decoder::passed
};

constexpr size_t BATCH_STEPS = 1024;
/// Limits the memory of all threads' batches together.
inline size_t stepsPerBatch(size_t threads) {
  return std::clamp<size_t>(32 * BATCH_STEPS / std::max<size_t>(threads, 1), 64, BATCH_STEPS);
}

class Decoder {
public:
  /// Kinds that become one step instead of a step for each of their records: loops and paths, of plain segments only.
  /// `calls`: says the call paths of allocations.
  struct Whole {
    bool loops = false, paths = false, calls = false;
  };
  Decoder(const TraceFile &file, const Plans &plans, const ThreadChunks &chunks, Whole whole);
  Decoder(const TraceFile &file, const Plans &plans, const ThreadChunks &chunks)
      : Decoder(file, plans, chunks, Whole()) {}
  /// Decodes about `steps` steps; words are limited too, to a few for each step. False at the end of the thread.
  bool next(Batch &batch, size_t steps = BATCH_STEPS);
  /// Of the chunks opened so far: their bytes, or their steps if the trace is still being written.
  uint64_t passed() const { return passed_; }
  const JoinedRuns &joinedRuns() const { return paths_.joined; }

private:
  struct Quick;
  bool isFull(const Batch &batch) const {
    return batch.stepCount >= mostSteps_ || words_ >= mostSteps_ * WORDS_PER_STEP;
  }
  bool openChunk();
  void begin(const ChunkPlace &place, ChunkHead head);
  void restart();
  void emitGap(Batch &batch);
  void openRaw(const ChunkPlace &place); // these four: raw_steps.cpp
  void rawSteps(Batch &batch);
  void quickRawSteps(Batch &batch);
  void rawStep(Batch &batch);
  void closeChunk();
  Path *predicted() { return previous_ ? previous_->successor : paths_.find(own_.first, columns_.cursor[0]); }
  void reserve(Batch &batch) const;
  void predictedSteps(Batch &batch);
  void codedStep(Batch &batch);
  bool quickSteps(Batch &batch); // in quick_steps.cpp
  void fewWords(Path &path, unsigned codes);
  void manyWords(Path &path, unsigned codes);
  void finish(Path &path);
  void emit(Batch &batch, Path &path);
  void emitCoded(Batch &batch, Path &path); // the same, for other files
  void emitPlain(Batch &batch, Path &path);
  void beginLoop(Batch &batch, Path &path);
  void wholeLoop(Batch &batch, Path &path, uint64_t iterations);
  void loopSteps(Batch &batch);
  void appendIterations(Batch &batch);
  void passRecords(Batch &batch, const uint32_t *records, uint32_t count);
  void appendIteration(Batch &batch, uint32_t records, uint32_t words);
  void checkLengths(Path &path) const;
  void takeEvent(Batch &batch);
  Event &room(Batch &batch);

  const TraceFile &file_;
  const Plans &plans_;
  const ThreadChunks &chunks_;
  const OwnPaths own_;
  size_t chunk_ = 0;
  ChunkColumns columns_;
  RawColumn raw_; // the chunk at hand, if it is RAW
  EventReader events_;
  uint32_t stepsLeft_ = 0, eventsLeft_ = 0;
  uint64_t runLeft_ = 0;
  bool open_ = false, runKnown_ = false, gapAhead_ = false, isRaw_ = false;
  const Whole whole_;
  PathTable paths_;
  CallStack calls_;
  Path *previous_ = nullptr;
  uint64_t base_ = 0;
  Path *loop_ = nullptr; // the loop whose iterations are under way
  uint64_t iterationsLeft_ = 0;
  std::vector<uint64_t> loopWords_, loopStrides_; // of the iteration at hand, padded
  static constexpr size_t WORDS_PER_STEP = 4;
  size_t mostSteps_ = BATCH_STEPS, words_ = 0; // of the batch at hand
  uint64_t passed_ = 0;
};

} // namespace dprof
