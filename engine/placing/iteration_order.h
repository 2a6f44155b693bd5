// Stage: placing. The steps of one thread, with the iterations of nested loops in another order. Steps of one loop that
// follow one another are rows of iterations, which other steps or breaks of their strides end; rows that are alike,
// each as far from the one before, are a matrix, and its tiles are gone through one after the other.
// src/what-if/iteration-order.ts is the same.
#pragma once

#include <deque>

#include "placing/dependences.h"
#include "placing/placed_step.h"
#include "placing/row_breaks.h"
#include "placing/steps_file.h"

namespace dprof {

/// Loops in another order: src/what-if/loop-change.ts.
struct LoopChanges {
  static constexpr int32_t OTHER = -1, FIXED = -2;
  Column<int32_t> tileOf;         // by record; empty: none
  Column<uint32_t> rows, columns; // of each tile
};

/// Iterations in an order in which one would come before what it needs.
struct DependenceError : std::runtime_error {
  explicit DependenceError(uint32_t slot) : std::runtime_error("an iteration needs another one"), slot(slot) {}
  uint32_t slot;
};

class IterationOrder {
public:
  IterationOrder(const Plans &plans, const LoopChanges &changes, StepsFile &file, uint32_t thread)
      : plans_(plans), changes_(changes), file_(file), thread_(thread), held_(plans.slots) {}
  void step(const RecordPlan &plan, const uint64_t *recorded, const PlacedStep &placed, const Event *stamp);
  void event(const Event &event);
  void flush();

  uint64_t moved = 0; // iterations of matrices

private:
  static constexpr size_t MOST_HELD = 1 << 18; // what is longer is cut
  /// Steps `first` to `first + count` are its iterations; others follow up to `end`.
  struct Row {
    size_t first, count, end;
  };
  /// An event that nothing waits for.
  struct Time {
    size_t behind; // so many held steps
    Event event;
  };
  void endStretch(size_t end);
  void addRow(const Row &row);
  void endMatrix();
  void tiled();
  void checkDependences(size_t first, size_t end);
  void passTimes(size_t at);
  void drop(size_t count);

  const Plans &plans_;
  const LoopChanges &changes_;
  StepsFile &file_;
  const uint32_t thread_;
  HeldSteps held_; // the rows of a matrix, then the stretch that is to become rows, then steps of other code
  std::deque<Time> times_;
  std::vector<Row> rows_;
  std::vector<uint64_t> distance_, next_; // from each row to the next
  bool hasDistance_ = false;
  size_t stretch_ = 0, stretchEnd_ = 0;
  RowBreaks breaks_;
  int32_t tile_ = LoopChanges::OTHER;
  std::vector<size_t> order_;
  std::vector<uint32_t> places_;
  Dependences dependences_;
};

} // namespace dprof
