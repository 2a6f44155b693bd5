// Stage: replay. Ties it together: a trace's steps through three stages; the result is read from here.
#pragma once

#include "cache_stage.h"
#include "column.h"
#include "count_stage.h"

namespace dprof {

class Replay {
public:
  explicit Replay(const Input &input);
  void run();

private:
  template <typename Stream> void runStages(Stream &stream);
  void reportProgress(uint64_t bytesRead);

  const Input &input_;
  const Plans plans_;
  TraceFile file_;
  uint64_t totalBytes_ = 0;

public:
  WindowPosition window[ReplayWindow::BORDERS]; // where its borders were, if it was asked for
  // What the second stage knows, and what the third.
  CacheStage caches;
  CountStage counts;
};

} // namespace dprof
