// Stage: replay. References to objects -> the steps of each life while it goes on, and when it has ended the row of its
// distinct path. docs/data-flow.md, "Paths". Memory follows the lives that go on, at most `mostOpenSteps`, and the
// distinct paths, at most `mostPaths`.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "base/huge_vector.h"
#include "flow/life.h"
#include "objects/object_lives.h"
#include "trace/input.h"

namespace dprof {

enum PathEnd : uint8_t { PATH_ALIVE, PATH_FREED, PATH_ENDED };
enum PathFlag : uint8_t { PATH_FREED_ELSEWHERE = 1, PATH_CUT = 2 };

/// A life that is over, and the reading of its object.
struct EndedLife {
  uint64_t hash, start, lifetime; // start: of the object
  uint32_t object, reading, allocationSlot, callPath, freeSlot;
  uint32_t first, last;
  uint32_t place; // among those that ended in the same step
  uint8_t end, flags;
};

class LifePaths {
public:
  struct Path {
    uint64_t hash;
    unsigned __int128 lifetime;
    uint64_t lives;
    uint32_t reading, allocationSlot, callPath, freeSlot;
    uint32_t firstStep, steps;
    uint8_t end, flags;
  };
  struct Step {
    uint64_t served[SERVERS];
    unsigned __int128 time;
    uint64_t latencyCycles, beginOffset, endOffset;
    uint32_t place;
    bool changesCore;
  };
  struct Other {
    uint64_t lives = 0, references = 0;
  };
  LifePaths(const FlowRequest &request, const Latencies &latencies);

  /// The next step of a life, by the reference that comes. `bornAt`: when the life began.
  void step(Life &life, StepKey key, uint64_t address, uint64_t end, uint64_t now, uint64_t bornAt);
  /// Counts references in the life's step.
  void count(const Life &life, uint32_t bits, uint64_t times = 1) {
    LifeStep &step = open_[life.last];
    step.served[outcome::server(bits)] += times;
    step.latencyCycles += times * latencyOf_[bits >> outcome::LATENCY];
  }
  void fetch(const Life &life) const { __builtin_prefetch(&open_[life.last], 1); }
  /// The life ends. It is added to its row when the thread's step under way ends (`endStep`).
  void end(Life &life, const LiveObject &object, uint32_t reading, PathEnd end, uint32_t freeSlot, uint32_t core,
           uint64_t now);
  /// A step of a thread, or the run, is over. Lives that ended in it are counted in the order of their objects'
  /// numbers.
  void endStep() {
    if (hasEnded()) countEnded();
  }
  /// Whether lives ended in the step under way.
  bool hasEnded() const { return !ended_.empty(); }
  /// A window begins; `forget` clears the steps of lives that go on.
  void restart();
  void forget(Life &life, uint32_t lastCore);
  bool isCut(const Life &life) const { return life.mask == 0; }

  std::vector<Path> paths; // in the order in which they were met
  std::vector<Step> steps;
  std::unordered_map<uint32_t, Other> others; // by reading

private:
  void close(Life &life);
  void countEnded();
  void count(const EndedLife &ended);
  void addSteps(const EndedLife &ended, Path &path);
  bool isPath(const EndedLife &ended, const Path &path) const;
  uint32_t make(const EndedLife &ended, uint64_t hash);
  void widen();
  void release(uint32_t first, uint32_t last);

  const uint64_t mostPaths_;
  const uint32_t mostSteps_, mostOpen_;
  const Latencies latencies_;
  std::array<uint64_t, 256> latencyOf_; // by the bits of an outcome from LATENCY on
  HugeVector<LifeStep> open_ = HugeVector<LifeStep>(1);
  uint32_t free_ = 0, kept_ = 0;                              // kept: steps with a place, of lives that go on
  std::vector<EndedLife> ended_;                              // in the step under way
  std::vector<uint32_t> table_ = std::vector<uint32_t>(1024); // row of `paths` + 1; at most half full
};

} // namespace dprof
