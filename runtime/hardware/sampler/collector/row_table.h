// Stage: sampler. Samples that have their types -> one row for each distinct (type, offset, place, event, data source,
// CPU), in that order.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <unordered_map>
#include <vector>

#include "../../records/sample.h"

namespace dprof {

struct RowKey {
  uint32_t type;
  uint64_t offset;
  uint32_t place;
  uint16_t event;
  uint64_t data_source;
  uint32_t cpu;
  auto operator<=>(const RowKey &) const = default;
};

struct RowSums {
  uint32_t samples = 0;
  uint64_t period = 0, weight = 0;
  double period_squares = 0, weight_squares = 0;
};

class RowTable {
public:
  void add(const RowKey &key, const Sample &sample);
  // Ascending by key.
  std::vector<std::pair<RowKey, RowSums>> rows() const;

private:
  struct Hash {
    size_t operator()(const RowKey &key) const;
  };
  std::unordered_map<RowKey, RowSums, Hash> sums_;
};

} // namespace dprof
