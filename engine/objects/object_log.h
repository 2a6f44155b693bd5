// Stage: replay. Rows of objects that have ended for good, in any order -> rows in the order of their numbers. Rows
// that do not fit into a few MiB go to a file without a name, in sorted runs, and are merged from there: memory does
// not grow with the number of objects that ever lived.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/temporary_file.h"
#include "trace/input.h"

namespace dprof {

struct ObjectRow {
  static constexpr uint64_t NEVER = ~uint64_t{0};
  uint64_t address, sizeBytes, bornAt, diedAt /* or NEVER */, lives, lifetime, references;
  uint32_t number, allocationSlot, variable, freeSlot, type, thread, callPath;
  uint8_t kind : 4, window : 4; // window 0: it ended before the window that counts
  uint8_t core, flags;
  uint8_t counters; // so many stand behind it
};
static_assert(sizeof(ObjectRow) == 88 && std::is_trivially_copyable_v<ObjectRow>);

/// One of OBJECT_COUNTERS that is not 0.
struct ObjectCount {
  uint64_t counter, value;
};

class ObjectLog {
public:
  explicit ObjectLog(SpillPlace place) : place_(std::move(place)) {}
  /// Numbers are given once each, from 0, and none is left out in the end.
  void add(ObjectRow row, const ObjectCount *counts, size_t count);
  /// The same rows. It shares the file, and may be used only until the next row is added here.
  ObjectLog copy() const;
  /// A window begins: from rows so far only the names are of use.
  void restart() { window_ = 1; }
  bool isSpilled() const { return !runs_.empty(); }
  uint64_t size() const { return rows_; }
  using Visit = std::function<void(const ObjectRow &, const ObjectCount *)>;
  /// All rows, by number; then there are none any more.
  void drain(const Visit &visit);

private:
  struct Entry {
    uint32_t number;
    uint32_t at; // word
  };
  struct Run {
    uint64_t begin, end; // bytes in the file
  };
  class RunReader;
  static size_t wordsOf(const ObjectRow &row) {
    return (sizeof row + row.counters * sizeof(ObjectCount)) / sizeof(uint64_t);
  }
  const ObjectRow &rowAt(size_t word) const { return *reinterpret_cast<const ObjectRow *>(&words_[word]); }
  static const ObjectCount *countsOf(const ObjectRow &row) { return reinterpret_cast<const ObjectCount *>(&row + 1); }
  void sort();
  void spill();
  void merge(const Visit &visit);

  SpillPlace place_;
  std::vector<uint64_t> words_; // rows, each with its counters
  std::vector<Entry> entries_;
  TemporaryFile file_;
  uint64_t fileBytes_ = 0, rows_ = 0;
  std::vector<Run> runs_;
  uint8_t window_ = 0;
};

} // namespace dprof
