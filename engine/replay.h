// Stage: replay. Ties it together: a trace's steps through three stages; the result is read from here.
#pragma once

#include "cache_stage.h"
#include "column.h"
#include "count_stage.h"
#include "snapshot.h"

namespace dprof {

class OrderedStream;
class ReferenceStream;

class Replay {
public:
  explicit Replay(const Input &input);
  ~Replay();
  void run();
  /// Until there are no more steps: of `input.live`, until its source stops. After a pause it may be called again.
  void advance();
  void finish();
  /// The result if the run ended now; after a pause.
  Snapshot snapshot() { return {input_, plans_, caches, counts}; }

private:
  template <typename Stream> void runStages(Stream &stream);
  void begin();
  void reportProgress(uint64_t bytesRead);
  /// Now and then: the types with most L1 misses so far, behind the progress.
  void reportTopTypes();

  const Input &input_;
  const Plans plans_;
  TraceFile file_;
  uint64_t totalBytes_ = 0;
  // One of them, once it has begun.
  std::unique_ptr<ReferenceStream> alone_;
  std::unique_ptr<OrderedStream> ordered_;
  uint64_t nextTop_ = 0; // in slots: when the top types are told again

public:
  // What the second stage knows, and what the third.
  CacheStage caches;
  CountStage counts;
};

} // namespace dprof
