// Stage: sampler. A hash table: memory grows with distinct rows, not with samples.
#include "row_table.h"

#include <algorithm>

namespace dprof {

size_t RowTable::Hash::operator()(const RowKey &key) const {
  uint64_t hash = 0;
  for (uint64_t word :
       {(uint64_t)key.type << 32 | key.place, key.offset, key.data_source, (uint64_t)key.event << 32 | key.cpu})
    hash = (hash ^ word) * 0x9e3779b97f4a7c15 ^ hash >> 29;
  return hash;
}

void RowTable::add(const RowKey &key, const Sample &sample) {
  RowSums &sums = sums_[key];
  sums.samples++;
  sums.period += sample.period;
  sums.period_squares += (double)sample.period * (double)sample.period;
  sums.weight += sample.weight;
  sums.weight_squares += (double)sample.weight * (double)sample.weight;
}

std::vector<std::pair<RowKey, RowSums>> RowTable::rows() const {
  std::vector<std::pair<RowKey, RowSums>> all(sums_.begin(), sums_.end());
  std::sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  return all;
}

} // namespace dprof
