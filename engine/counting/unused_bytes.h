// Stage: replay. Bytes that an L1 fetched and that no reference touched before the line left, by the type in which they
// lie. docs/replay/attribution.md.
#pragma once

#include <unordered_map>
#include <vector>

#include "objects/labels.h"

namespace dprof {

class UnusedBytes {
public:
  struct Row {
    uint32_t label, leaf;
    uint64_t fetched, unused;
  };
  UnusedBytes(const Input &input, Objects &objects, Labels &labels)
      : input_(input), objects_(objects), labels_(labels), lineBytes_(1u << input.machine.lineShift), lately_(LATELY),
        patterns_(LATELY) {}
  /// A copy that uses these labels.
  UnusedBytes(const UnusedBytes &of, Labels &labels)
      : rows(of.rows), input_(of.input_), objects_(of.objects_), labels_(labels), lineBytes_(of.lineBytes_),
        numbers_(of.numbers_), lately_(of.lately_), patterns_(of.patterns_), parts_(of.parts_) {}

  /// A line leaves an L1: its address, the granule of its first byte (0: its page was never touched), and a bit for
  /// each byte that was touched.
  void left(uint64_t address, uint32_t granule, const uint64_t *used);

  void restart() {
    rows.clear();
    numbers_.clear();
    lately_.assign(LATELY, {});
    patterns_.assign(LATELY, {});
    parts_.clear();
  }

  std::vector<Row> rows;

private:
  void leftInParts(uint64_t address, uint32_t granule, const uint64_t *used);
  void count(LiveObject *object, uint64_t address, uint32_t begin, uint32_t end, const uint64_t *used);
  void countRun(uint32_t label, uint32_t leaf, uint32_t begin, uint32_t end, const uint64_t *used);
  uint32_t row(uint32_t label, uint32_t leaf);
  bool countPattern(const LiveObject &object, uint64_t address, uint32_t begin, uint32_t end, uint64_t used);

  /// Bytes that count to one row; bit 0 of the mask is the pattern's first byte.
  struct Part {
    uint64_t mask;
    uint32_t row, bytes;
  };
  /// Parts of some bytes of a type, from this place in it on: the same for every object of the type.
  struct Pattern {
    uint32_t type = 0, phase = 0, bytes = 0, firstPart = 0, parts = 0;
  };
  struct Known {
    uint64_t key = 0;
    uint32_t row = NO_INDEX;
  };
  static constexpr size_t LATELY = 1024, MOST_PARTS = 1 << 16;

  const Input &input_;
  Objects &objects_;
  Labels &labels_;
  const uint32_t lineBytes_;
  std::unordered_map<uint64_t, uint32_t> numbers_; // label and leaf -> row
  std::vector<Known> lately_;                      // some of `numbers_`, by hash
  std::vector<Pattern> patterns_;                  // those met lately, by hash
  std::vector<Part> parts_;
};

} // namespace dprof
