// Stage: replay. Bytes that an L1 fetched and that no reference touched before the line left, by the type in which they
// lie. docs/replay/attribution.md.
#pragma once

#include <unordered_map>
#include <vector>

#include "objects/labels.h"

namespace dprof {

/// What lies on a line is its layout: which bytes count to which row. Many lines have the same, and keep it while no
/// object on them changes. So a line that leaves only counts a pair of a layout and a mask of touched bytes; pairs go
/// to their rows later.
class UnusedBytes {
public:
  struct Row {
    uint32_t label, leaf;
    uint64_t fetched, unused;
  };
  UnusedBytes(const Input &input, Objects &objects, Labels &labels)
      : input_(input), objects_(objects), labels_(labels), lineBytes_(1u << input.machine.lineShift),
        lineGranules_(input.machine.lineShift - PageMap::granuleShift), isCopy_(false), pairs_(PAIRS), lately_(LATELY),
        patterns_(LATELY), sameLayouts_(LATELY), segmented_(LATELY) {}
  /// A copy that uses these labels, after `flush`. Lines keep no layouts from it, as its labels are not theirs.
  UnusedBytes(const UnusedBytes &of, Labels &labels)
      : rows(of.rows), input_(of.input_), objects_(of.objects_), labels_(labels), lineBytes_(of.lineBytes_),
        lineGranules_(of.lineGranules_), isCopy_(true), pairs_(PAIRS), numbers_(of.numbers_), lately_(of.lately_),
        patterns_(of.patterns_), patternRuns_(of.patternRuns_), firstLayout_(of.firstLayout_),
        layoutCount_(of.layoutCount_), layouts_(of.layouts_), parts_(of.parts_), sameLayouts_(of.sameLayouts_),
        segmented_(of.segmented_) {}

  /// A line leaves an L1: its address, the granule of its first byte (0: its page was never touched), and a bit for
  /// each byte that was touched.
  void left(uint64_t address, uint32_t granule, const uint64_t *used) {
    if (granule)
      left(granule, used);
    else
      leftAlone(address, granule, used);
  }
  /// The same; its page was touched.
  void left(uint32_t granule, const uint64_t *used) {
    if (lineBytes_ > 64) [[unlikely]]
      return leftAlone(objects_.addressOf(granule), granule, used);
    leftShort(granule >> lineGranules_, *used);
  }
  /// The same, by the line's number, if lines have at most 64 bytes.
  [[gnu::always_inline]] void leftShort(uint32_t line, uint64_t used) {
    uint32_t layout = objects_.lineNote(line);
    if (layout - firstLayout_ >= layoutCount_) [[unlikely]]
      layout = layOut(line << lineGranules_);
    Pair &pair = pairs_[(used * 0x9e3779b97f4a7c15ull >> (64 - PAIR_BITS)) ^ (layout % PAIRS)];
    if (pair.used != used || pair.layout != layout) [[unlikely]]
      pass(pair, used, layout);
    pair.lines++;
  }
  /// Adds to the rows what they lack so far.
  void flush() {
    for (Pair &pair : pairs_) pass(pair, 0, 0);
  }
  void restart();

  std::vector<Row> rows;

private:
  /// Bytes [begin, end) of a line count to a row.
  struct Run {
    uint32_t row, begin, end;
  };
  /// Bytes [begin, end) of a line that lie in one object, or in none.
  struct Piece {
    LiveObject *object;
    uint32_t begin, end;
  };
  /// What decides the rows of a piece: a label and a leaf, or a type and the place in it.
  struct Segment {
    uint64_t key;
    uint32_t bytes;
    bool isPattern;
    bool operator==(const Segment &) const = default;
  };
  static constexpr uint32_t MOST_SEGMENTS = 4;
  /// A line with few pieces, and its layout.
  struct Segmented {
    Segment segments[MOST_SEGMENTS];
    uint32_t count = 0, layout = 0;
  };
  /// All bytes of a line that count to one row.
  struct Part {
    uint64_t mask;
    uint32_t row, bytes;
    bool operator==(const Part &) const = default;
  };
  struct Layout {
    uint32_t firstPart, parts;
  };
  /// Lines with the layout of which these bytes were touched, and which are not in the rows yet.
  struct Pair {
    uint64_t used = 0, lines = 0;
    uint32_t layout = 0;
  };
  /// Runs of some bytes of a type, from this place in it on: the same for every object of the type.
  struct Pattern {
    uint32_t type = 0, phase = 0, bytes = 0, firstRun = 0, runs = 0;
  };
  struct Known {
    uint64_t key = 0;
    uint32_t row = NO_INDEX;
  };
  static constexpr unsigned PAIR_BITS = 12;
  static constexpr size_t PAIRS = size_t{1} << PAIR_BITS, LATELY = 1024, MOST_PARTS = 1 << 16;

  [[gnu::noinline]] void leftAlone(uint64_t address, uint32_t granule, const uint64_t *used);
  [[gnu::noinline]] uint32_t layOut(uint32_t granule);
  uint32_t layoutOfRuns();
  void forgetLayouts();
  [[gnu::noinline]] void pass(Pair &pair, uint64_t used, uint32_t layout);
  void add(const Pair &pair);
  void cut(uint64_t address, uint32_t granule);
  void cutObjects(uint64_t address, uint32_t granule);
  bool segment(Segmented &line, uint64_t address);
  void split(uint64_t address);
  void splitPiece(const Piece &piece, uint64_t address);
  bool isOfLeaves(const LiveObject *object) const {
    return object && input_.types.isStruct[object->declared] && input_.types.leafSpan[object->declared] != 0 &&
           input_.types.leafBase[object->declared] != NO_INDEX;
  }
  uint64_t keyOf(LiveObject *object);
  bool hasPattern(const Piece &piece, uint64_t address, uint32_t &phase) const;
  const Pattern &patternOf(uint32_t type, uint32_t phase, uint32_t bytes);
  void add(uint32_t row, uint32_t begin, uint32_t end) { runs_.push_back({row, begin, end}); }
  uint32_t row(uint32_t label, uint32_t leaf) { return row(uint64_t{label} << 32 | leaf); }
  uint32_t row(uint64_t key);

  const Input &input_;
  Objects &objects_;
  Labels &labels_;
  const uint32_t lineBytes_;
  const unsigned lineGranules_; // as a shift
  const bool isCopy_;
  std::vector<Pair> pairs_;                        // by hash
  std::unordered_map<uint64_t, uint32_t> numbers_; // label and leaf -> row
  std::vector<Known> lately_;                      // some of `numbers_`, by hash
  std::vector<Pattern> patterns_;                  // those met lately, by hash
  std::vector<Run> patternRuns_;                   // bytes from the pattern's first on
  std::vector<Piece> pieces_;                      // of the line at hand
  std::vector<Run> runs_;                          // of the line at hand
  uint32_t firstLayout_ = 1; // number of the first of `layouts_`; numbers below are of layouts that are forgotten
  uint32_t layoutCount_ = 0; // of `layouts_`
  std::vector<Layout> layouts_;
  std::vector<Part> parts_, lineParts_; // of layouts; of the line at hand
  std::vector<uint32_t> sameLayouts_;   // numbers of those met lately, by hash
  std::vector<Segmented> segmented_;    // lines met lately, by hash
};

} // namespace dprof
