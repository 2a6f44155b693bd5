// Stage: replay. Bytes that an L1 fetched and that no reference touched before the line left, by what they lie in. docs/replay.md,
// "Attribution".
#pragma once

#include <unordered_map>
#include <vector>

#include "labels.h"

namespace dprof {

class UnusedBytes {
public:
  struct Row {
    uint32_t label, leaf;
    uint64_t fetched, unused;
  };
  UnusedBytes(const Input &input, Objects &objects, Labels &labels) : input_(input), objects_(objects), labels_(labels) {}
  /// A copy, whose labels are those.
  UnusedBytes(const UnusedBytes &of, Labels &labels) : rows(of.rows), input_(of.input_), objects_(of.objects_), labels_(labels), numbers_(of.numbers_) {}

  /// A line leaves an L1: its address, the granule of its first byte (0: its page was never touched), and a bit for each byte that was touched.
  void left(uint64_t address, uint32_t granule, const uint64_t *used);

  void restart() {
    rows.clear();
    numbers_.clear();
    last_ = 0;
  }

  std::vector<Row> rows;

private:
  void count(LiveObject *object, uint64_t address, uint32_t begin, uint32_t end, const uint64_t *used);
  void countRun(uint32_t label, uint32_t leaf, uint32_t begin, uint32_t end, const uint64_t *used);
  Row &row(uint32_t label, uint32_t leaf);

  const Input &input_;
  Objects &objects_;
  Labels &labels_;
  std::unordered_map<uint64_t, uint32_t> numbers_; // label and leaf -> row
  uint32_t last_ = 0;
};

} // namespace dprof
