// Stage: replay. Ties it together: a trace's steps are ordered and laid out once, and go through the caches and the counts of each machine.
#pragma once

#include "cache_stage.h"
#include "column.h"
#include "count_stage.h"

namespace dprof {

class Replay {
public:
  /// The input's machine, and others for which references are laid out alike. Throws InputError if they are not.
  Replay(const Input &input, const std::vector<Machine> &others);
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
  /// What the two stages of a machine know.
  struct OnMachine {
    OnMachine(const Input &of, const Plans &plans) : input(of), caches(input, plans), counts(input, plans) {}
    const Input input;
    CacheStage caches;
    CountStage counts;
  };
  std::vector<std::unique_ptr<OnMachine>> machines;
};

} // namespace dprof
