// Stage: placing. Where rows of iterations begin in a stretch of a loop's steps. A run is steps of one record with the
// same strides; a row is a run and those that follow until its record comes again, as a rest does that is not unrolled.
// src/what-if/row-breaks.ts is the same.
#pragma once

#include "placing/held_steps.h"

namespace dprof {

class RowBreaks {
public:
  /// The stretch goes on with this step; `begins`: it is the first one.
  void extend(const HeldSteps &held, size_t at, bool begins);
  /// The stretch ends before `end`: where its rows begin. Unless half of it is rows beside one as long, it is one row.
  const std::vector<size_t> &rows(size_t end);
  /// The next stretch.
  void begin();

private:
  static constexpr size_t MOST_RUNS = 4;    // of a row
  static constexpr size_t LEAST_LENGTH = 3; // two steps have a stride, wherever they are
  struct Run {
    size_t begin;
    const RecordPlan *record;
  };
  size_t runsOfRow(size_t run, size_t before) const;

  std::vector<Run> runs_;
  std::vector<size_t> begins_;
  std::vector<uint64_t> stride_, next_;
  bool hasStride_ = false;
};

} // namespace dprof
