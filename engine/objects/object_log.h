// Stage: replay. Rows of objects that have ended for good, in any order -> rows in the order of their numbers. Rows
// that do not fit into a few MiB go to a file without a name, in sorted runs, and are merged from there: memory does
// not grow with the number of objects that ever lived.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/temporary_file.h"
#include "objects/object_row.h"
#include "objects/object_sums.h"
#include "trace/input.h"

namespace dprof {

class ObjectLog {
public:
  /// With more than `mostRows` all of them are summed up (0: never); `keepsPlaces` as in ObjectSums.
  ObjectLog(SpillPlace place, uint64_t mostRows, bool keepsPlaces)
      : place_(std::move(place)), mostRows_(mostRows), keepsPlaces_(keepsPlaces) {}
  /// Numbers are given once each, from 0, and none is left out in the end.
  void add(ObjectRow row, const ObjectCount *counts, size_t count);
  /// The same rows. It shares the file, and may be used only until the next row is added here.
  ObjectLog copy() const;
  /// A window begins: from rows so far only the names are of use.
  void restart() { window_ = 1; }
  bool isSpilled() const { return !runs_.empty(); }
  uint64_t size() const { return rows_; }
  using Visit = std::function<void(const ObjectRow &, const ObjectCount *)>;
  /// All rows, by number; then there are none any more. Sums are numbered from 0 in the order of their first objects.
  void drain(const Visit &visit);
  bool isSummed() const { return sums_.has_value(); }
  /// The number of the row that an object is in; to be asked after `drain`.
  uint32_t rowOf(uint32_t object) const;

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
  void append(const ObjectRow &row, const ObjectCount *counts);
  void sumUp();
  void appendSums();
  /// All rows, by number, as they were added.
  void take(const Visit &visit);
  void sort();
  void spill();
  void merge(const Visit &visit);

  SpillPlace place_;
  uint64_t mostRows_;
  bool keepsPlaces_;
  std::optional<ObjectSums> sums_;
  std::vector<uint32_t> firstOf_; // by row of sums: the number of its first object
  std::vector<uint64_t> words_;   // rows, each with its counters
  std::vector<Entry> entries_;
  TemporaryFile file_;
  uint64_t fileBytes_ = 0, rows_ = 0;
  std::vector<Run> runs_;
  uint8_t window_ = 0;
};

} // namespace dprof
