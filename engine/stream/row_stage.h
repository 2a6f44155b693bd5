// Stage: replay -> stream, behind the caches or instead of them. The references of a batch, one for each line that an
// access touches, and what the caches did with each -> rows.
#pragma once

#include <functional>
#include <optional>

#include "batch/access_latency.h"
#include "batch/reference_batch.h"
#include "placing/tracked_objects.h"
#include "stream/reference_rows.h"

namespace dprof {

class RowStage {
public:
  static constexpr size_t FULL = 1 << 16; // rows that are handed over at a time, or a few more
  /// `number`: the only thread's; else batches say whose their references are. `take` gets rows whenever there are
  /// many, and at the end.
  RowStage(const Input &input, const Plans &plans, const ReferenceColumns &columns, uint32_t number,
           std::function<void(ReferenceRows &)> take);
  void add(const ReferenceBatch &batch);
  void finish() {
    if (rows_.count()) handOver();
  }
  /// The window begins with the next batch that says so; what comes before is no row.
  void waitForWindow() { waits_ = true; }

private:
  /// The next entries of the batch at hand.
  struct Place {
    uint32_t at;
    const OddAccess *odd, *oddEnd;
    const TurnStart *turn, *turnsEnd;
    const ThreadStart *thread, *threadsEnd;
    const CallersStart *callers, *callersEnd;
    const uint16_t *blockBytes;
    const Outcome *outcome; // without caches: null
    const LineMiss *miss;
    const LineMove *move; // of several cores, or a machine that is not plain; else null
    const ReferenceValue *value, *valuesEnd;
  };
  void addTo(const ReferenceBatch &batch, Place &place, uint32_t end);
  void addStretch(const ReferenceBatch &batch, Place &place, uint32_t end);
  void expandPath(const SteadyPath &path, uint64_t time);
  void expandRun(uint32_t slot, uint64_t address, uint64_t time);
  void addPlain(const Reference *references, const uint64_t *times, uint32_t count, Place &place);
  void addOdd(const ReferenceBatch &batch, Place &place, const OddAccess &access);
  void addMet(const ReferenceBatch &batch, Place &place, const AccessLatency &latency, uint32_t piece);
  void addRun(const ReferenceBatch &batch, const LoopRun &run, const LoopOutcome *&outcome, const LineMiss *&miss);
  void addRow(uint32_t slot, bool store, uint64_t address, uint64_t size, uint64_t time);
  template <typename T, typename Get> static void append(RowColumn<T> &column, uint32_t count, Get get);
  void note(uint32_t bits, const LineMiss *&miss);
  void evict(unsigned level, uint64_t line);
  template <typename RowOf> void setValues(Place &place, uint32_t end, RowOf rowOf);
  void setValue(size_t row, uint64_t value);
  void addObject(uint64_t address, uint64_t time);
  void handOver();

  const Plans &plans_;
  const ReferenceColumns columns_;
  const std::function<void(ReferenceRows &)> take_;
  const uint32_t lineMask_;
  const unsigned granulesShift_; // of a line
  const bool isPlain_;           // the machine: LineMisses say which lines left
  const uint32_t coresPer_[3];   // cache, by level, of a machine that is not plain
  const Latencies latencies_;
  PageMap pages_; // numbered as the caches number them, from the same list
  std::optional<TrackedObjects> objects_;
  // Entries that stand for many hits (joined_runs.h, steady_path.h), and those of a stretch.
  const uint32_t firstSteady_, firstJoined_; // slots
  std::vector<const JoinedRun *> joined_;
  std::vector<std::shared_ptr<const SteadyPath>> steady_;
  std::vector<Reference> expanded_;
  std::vector<uint64_t> expandedTimes_;
  std::vector<uint32_t> expandedAt_; // by reference of a stretch, if values are asked for: its place in `expanded_`
  bool mayExpand_ = false;           // some entry did
  bool waits_ = false;
  uint32_t thread_;
  uint16_t core_ = 0;
  CallersStart callers_{};
  uint64_t given_ = 0; // rows that have a number
  ReferenceRows rows_;
};

} // namespace dprof
