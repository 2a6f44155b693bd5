// Stage: replay. Sums of objects that are alike in all that names them, for results that need not tell one from the
// other: src/contract/input.ts, `mostObjects`.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "objects/object_row.h"

namespace dprof {

class ObjectSums {
public:
  /// `keepsPlaces`: somebody will ask for the row of an object.
  explicit ObjectSums(bool keepsPlaces) : keepsPlaces_(keepsPlaces) {}
  /// Adds an object, or a sum of some.
  void add(const ObjectRow &row, const ObjectCount *counts);
  /// Memory of the sums.
  size_t bytes() const { return bytes_; }
  /// Visits each sum as a row with the number of its first object; then there are none any more.
  void drain(const std::function<void(const ObjectRow &, const ObjectCount *)> &visit);
  /// The number of the row that the object went into. All sums must have been drained.
  uint32_t rowOf(uint32_t object) const { return firstOf_[sumOf_[object]]; }

private:
  struct Sum {
    ObjectRow row;
    std::vector<ObjectCount> counts;
  };
  struct Key { // a row with nothing but what names it
    ObjectRow row;
    bool operator==(const Key &other) const;
  };
  struct Hash {
    size_t operator()(const Key &key) const;
  };
  static Key keyOf(const ObjectRow &row);
  size_t find(const ObjectRow &row);
  void addCount(Sum &sum, const ObjectCount &count);

  bool keepsPlaces_;
  std::vector<Sum> sums_;
  std::unordered_map<Key, size_t, Hash> index_;
  Key newest_{};
  size_t newestSum_ = 0, bytes_ = 0;
  std::vector<uint32_t> sumOf_;   // by object: a sum, those before it that were drained included
  std::vector<uint32_t> firstOf_; // by such a sum: the number of its first object
};

} // namespace dprof
