// Stage: placing. Runs, and rows of them.
#include "placing/row_breaks.h"

namespace dprof {

void RowBreaks::extend(const HeldSteps &held, size_t at, bool begins) {
  const HeldStep &step = held[at];
  bool isNew = begins || held[at - 1].plan != step.plan;
  if (!isNew) {
    held.distance(held[at - 1], step, next_);
    isNew = hasStride_ && next_ != stride_;
    stride_.swap(next_);
  }
  hasStride_ = !isNew;
  if (isNew) runs_.push_back({at, step.plan});
}

const std::vector<size_t> &RowBreaks::rows(size_t end) {
  begins_.clear();
  for (size_t run = 0, own = 0; run < runs_.size(); run += own) {
    begins_.push_back(runs_[run].begin);
    own = runsOfRow(run, own);
  }
  const size_t count = begins_.size();
  auto length = [&](size_t row) { return (row + 1 < count ? begins_[row + 1] : end) - begins_[row]; };
  size_t alike = 0;
  for (size_t row = 0; row < count; row++) {
    const bool asBefore = row > 0 && length(row) == length(row - 1);
    const bool asBehind = row + 1 < count && length(row) == length(row + 1);
    if (length(row) >= LEAST_LENGTH && (asBefore || asBehind)) alike += length(row);
  }
  if (alike * 2 < end - begins_[0]) begins_.resize(1);
  return begins_;
}

void RowBreaks::begin() {
  runs_.clear();
  hasStride_ = false;
}

/// Until its record comes again; the last row has as many as the one before, if they are alike.
size_t RowBreaks::runsOfRow(size_t run, size_t before) const {
  for (size_t count = 1; count <= MOST_RUNS && run + count < runs_.size(); count++)
    if (runs_[run + count].record == runs_[run].record) return count;
  const size_t own = std::min(before, runs_.size() - run);
  for (size_t i = 0; i < own; i++)
    if (runs_[run + i].record != runs_[run - before + i].record) return 1;
  return std::max<size_t>(1, own);
}

} // namespace dprof
