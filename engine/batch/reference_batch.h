// Stage: trace -> replay. A stretch of the replay as columns: references in order, the threads that make them, the
// changes of objects between them, and the outcome of each reference.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/appended.h"
#include "batch/line_event.h"
#include "batch/reference.h"
#include "batch/steady_path.h"
#include "trace/call_stack.h"
#include "trace/event.h"
#include "trace/joined_runs.h"
#include "trace/record_plan.h"

namespace dprof {

/// An access to several lines, or to no bytes at all. One entry among the references, without a granule, stands for its
/// pieces.
struct OddAccess {
  uint32_t reference;          // in the batch
  uint32_t firstPiece, pieces; // in `pieces`
};

/// A step that may change objects. Its words or its event lie in the batch.
struct Change {
  enum What : uint8_t { ENTER, LEAVE, OBJECT_RECORD, EVENT }; // a segment's entry, an exit, a record that is no segment
  uint32_t before;                                            // the reference that comes next
  What what;
  uint16_t core; // the thread's core
  uint32_t thread;
  uint32_t record, at;      // `at`: its first word in `words`, or its event in `events`
  uint64_t now;             // replay time
  uint32_t path = NO_INDEX; // to an allocation, in `callPaths`
};

/// The function's innermost frame ends after the step.
inline bool closesFrame(const RecordPlan &plan) {
  constexpr uint8_t CLOSES = DPROF_RECORD_EXIT | DPROF_RECORD_FRAME;
  return (plan.flags & CLOSES) == CLOSES;
}

/// The core and the lock state (whether the thread holds a lock) from this reference on.
struct TurnStart {
  uint32_t reference;
  uint16_t core;
  bool holdsLock;
};

/// The thread that makes the references from this one on.
struct ThreadStart {
  uint32_t reference, thread;
};

/// The functions that called the one whose references come from this one on, the nearest first.
struct CallersStart {
  static constexpr size_t MOST = 4;
  uint32_t reference;
  std::array<uint32_t, MOST> functions; // NO_INDEX: none that is known
};

/// What a reference's access loads or stores.
struct ReferenceValue {
  uint32_t reference;
  uint64_t value;
};

/// For an event of a lock (sync_object.h): the thread's clock, and by how much the event raised it. An acquisition also
/// has the thread's call path.
struct LockStep {
  uint64_t clock, raised;
  CallStack::Path path;
};

/// The outcome of a reference, or of a piece of an odd access.
struct Outcome {
  uint32_t reference, bits; // outcome.h
};

/// Details of an outcome: numbers of stores (sharing.h), NO_INDEX for none, and the work of prefetchers (outcome.h), 0
/// for nothing.
struct Aside {
  uint32_t outcome; // in the batch
  uint32_t missed;  // the store that came last before a sharing miss
  uint32_t stored;  // its own
  uint32_t prefetches;
};

/// A line that comes or goes because of a reference, or of a piece of one. Plain machines list only lines that are
/// invalidated.
struct LineMove {
  uint32_t outcome; // in the batch: the reference's
  uint32_t left; // out of an L1: where in `leftLines` there are its address and a bit for each byte that was touched;
                 // out of another level, if that is asked for: the address; else NO_INDEX
  LineEvent event;
};

/// One access of a loop, over some iterations.
struct LoopStream {
  uint64_t address; // in the first of them
  int64_t stride;
  uint32_t slot : 31, store : 1;
  uint32_t size;
  uint32_t granule; // of `address`, all in one page; `far`: index in `pieces` of one granule for each iteration
  bool far;
  uint32_t splits; // accesses over two lines that hit both; set by the caches
  uint32_t before; // instructions of the iteration before it
};

/// Iterations of a loop whose accesses are affine. No access crosses a page, and no access of a far stream crosses a
/// line.
struct LoopRun {
  static constexpr uint32_t MOST_STREAMS = 64;
  uint32_t before, changesBefore; // the reference that comes next; the changes that came before
  uint32_t firstStream, streams, iterations;
  uint32_t outcomesEnd;  // index in `loopOutcomes`; set by the caches
  uint32_t instructions; // of an iteration
  uint64_t time;         // before the first
};

/// An outcome of a loop's access that is no plain hit of one line, or of two. An access over two lines has two
/// outcomes; the first is that of the first piece.
struct LoopOutcome {
  uint32_t iteration, stream, bits;
};

struct ReferenceBatch {
  std::vector<Reference> references;
  uint32_t count = 0;
  std::vector<uint64_t> times; // of each reference, if the flow is wanted: replay time before its segment
  std::vector<OddAccess> odd;
  std::vector<uint32_t> pieces; // of odd accesses, one per line: the granule of its first byte
  std::vector<Change> changes;
  std::vector<CallStack::Path> callPaths;
  std::vector<uint64_t> words;
  std::vector<Event> events;
  std::vector<uint64_t> newPages;        // touched for the first time, in the order of their frames
  std::vector<const JoinedRun *> joined; // new ones, in the order of their slots
  std::vector<SteadySlot> steady;        // new ones, none of which the batch has an older path of
  std::vector<LoopRun> runs;             // all by one thread, alone on one core
  std::vector<LoopStream> streams;
  Appended<LoopOutcome> loopOutcomes;
  std::vector<Outcome> outcomes;   // of references that are no plain hits and of all pieces; then one of no reference
  Appended<LineMiss> misses;       // of plain machines: of every outcome that missed the L1, in order
  Appended<LineMiss> loopMisses;   // the same of `loopOutcomes`
  std::vector<LineMove> lineMoves; // in order, by `outcomes`; then one of no outcome
  std::vector<uint64_t> leftLines;
  std::vector<uint16_t>
      blockBytes; // of each reference or odd access of a copy, fill or scan, which its slot does not say
  std::vector<ReferenceValue> values; // if they are asked for: in order, those that are known
  // Only for several cores, or a machine that is not plain. There, every reference with an Aside has an outcome too.
  std::vector<TurnStart> turns; // the first from reference 0 on
  std::vector<Aside> asides;    // then one of no outcome
  // Only for several threads.
  std::vector<ThreadStart> threads;  // from the first step on
  std::vector<CallersStart> callers; // if they are asked for: from the first reference on
  std::vector<LockStep> lockSteps;   // in order, of those among `events`
  bool isOfSeveralThreads = false;   // that took steps up to here
  bool begins = false;               // the window begins with it: earlier counts are forgotten
  uint64_t segments = 0, waited = 0, slots = 0, time = 0, passed = 0; // of all threads up to here; passed: decoder.h

  /// Forgets the outcomes that the caches of the previous machine wrote.
  void forgetOutcomes() {
    outcomes.clear();
    loopOutcomes.clear();
    asides.clear();
    misses.clear();
    loopMisses.clear();
    lineMoves.clear();
    leftLines.clear();
    for (LoopStream &stream : streams) stream.splits = 0;
  }
};

} // namespace dprof
