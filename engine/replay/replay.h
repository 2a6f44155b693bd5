// Stage: replay. Ties the parts together: a trace's steps are ordered and laid out once, and go through the caches and
// the counts of each machine.
#pragma once

#include "batch/parallelism_table.h"
#include "caches/cache_stage.h"
#include "counting/count_stage.h"
#include "replay/snapshot.h"
#include "trace/column.h"

namespace dprof {

class OrderedStream;
class ReferenceStream;

class Replay {
public:
  /// Takes the input's machine, and others for which references are laid out alike. Throws InputError if they are not.
  Replay(const Input &input, const std::vector<Machine> &others);
  ~Replay();
  [[gnu::noinline]] void run(); // bench/callgrind.ts counts what is done in it, by its name
  /// Replays until there are no more steps; with `input.live`, until its source stops. After a pause it may be called
  /// again.
  void advance();
  void finish();
  /// The result of the first machine as if the run ended now; call it after a pause.
  Snapshot snapshot() { return {input_, plans_, machines[0]->caches, machines[0]->counts}; }

private:
  template <typename Stream> void runStages(Stream &stream);
  void begin();
  void findSharedLines(const std::vector<uint32_t> &numbers);
  void reportProgress(uint64_t slots, uint64_t passed, bool isAhead);
  /// Reports now and then the types with most L1 misses so far, behind the progress.
  void reportTopTypes();

  const Input &input_;
  const Plans plans_;
  TraceFile file_;
  uint64_t totalBytes_ = 0;
  // One of these two exists, once the replay has begun.
  std::unique_ptr<ReferenceStream> alone_;
  bool looksUpAhead_ = false; // the first stage looks up its references: there is no second
  std::unique_ptr<OrderedStream> ordered_;
  uint64_t nextTop_ = 0; // in slots: when the top types are told again

public:
  std::optional<ParallelismTable> parallelism;  // of several threads, in an order in which they wait
  WindowPosition window[ReplayWindow::BORDERS]; // the positions of its borders, if a window was asked for
  /// The state of the two stages of a machine.
  struct OnMachine {
    OnMachine(const Input &of, const Plans &plans) : input(of), caches(input, plans), counts(input, plans) {}
    const Input input;
    CacheStage caches;
    CountStage counts;
  };
  std::vector<std::unique_ptr<OnMachine>> machines;
};

} // namespace dprof
