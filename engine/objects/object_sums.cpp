// Stage: replay. Sums of objects: what is added, and what must be alike.
#include "objects/object_sums.h"

#include <algorithm>
#include <cstring>

namespace dprof {

bool ObjectSums::Key::operator==(const Key &other) const { return std::memcmp(&row, &other.row, sizeof row) == 0; }

size_t ObjectSums::Hash::operator()(const Key &key) const {
  const ObjectRow &row = key.row;
  constexpr uint64_t MIX = 0x9e3779b97f4a7c15ull;
  uint64_t hash = row.sizeBytes;
  for (uint64_t part : {uint64_t{row.allocationSlot} << 32 | row.freeSlot, uint64_t{row.type} << 32 | row.callPath,
                        uint64_t{row.variable} << 32 | row.thread, uint64_t{row.core} << 8 | row.flags})
    hash = (hash ^ part) * MIX, hash ^= hash >> 29;
  return hash;
}

ObjectSums::Key ObjectSums::keyOf(const ObjectRow &row) {
  Key key{row};
  ObjectRow &named = key.row;
  named.address = named.bornAt = named.diedAt = named.lives = named.lifetime = named.references = 0;
  named.number = named.counters = 0;
  return key;
}

size_t ObjectSums::find(const ObjectRow &row) {
  const Key key = keyOf(row);
  if (!sums_.empty() && key == newest_) return newestSum_; // objects of one place mostly end together
  newest_ = key;
  const auto [found, isNew] = index_.emplace(key, sums_.size());
  if (isNew) {
    sums_.push_back({key.row, {}});
    ObjectRow &sum = sums_.back().row;
    sum.address = row.address, sum.bornAt = row.bornAt, sum.diedAt = row.diedAt, sum.number = row.number;
    bytes_ += sizeof(Sum) + 2 * sizeof(std::pair<Key, size_t>);
  }
  return newestSum_ = found->second;
}

void ObjectSums::addCount(Sum &sum, const ObjectCount &count) {
  for (ObjectCount &known : sum.counts)
    if (known.counter == count.counter) {
      known.value += count.value;
      return;
    }
  sum.counts.push_back(count);
  bytes_ += 2 * sizeof count;
}

void ObjectSums::add(const ObjectRow &row, const ObjectCount *counts) {
  const size_t at = find(row);
  Sum &sum = sums_[at];
  if (row.number < sum.row.number)
    sum.row.number = row.number, sum.row.address = row.address, sum.row.bornAt = row.bornAt;
  sum.row.diedAt = std::max(sum.row.diedAt, row.diedAt);
  sum.row.lives += row.lives, sum.row.lifetime += row.lifetime, sum.row.references += row.references;
  for (unsigned i = 0; i < row.counters; i++) addCount(sum, counts[i]);
  if (!keepsPlaces_) return;
  if (row.number >= sumOf_.size()) sumOf_.resize(row.number + 1);
  sumOf_[row.number] = static_cast<uint32_t>(firstOf_.size() + at);
}

void ObjectSums::drain(const std::function<void(const ObjectRow &, const ObjectCount *)> &visit) {
  for (Sum &sum : sums_) {
    std::sort(sum.counts.begin(), sum.counts.end(),
              [](const ObjectCount &a, const ObjectCount &b) { return a.counter < b.counter; });
    sum.row.counters = static_cast<uint8_t>(sum.counts.size());
    visit(sum.row, sum.counts.data());
    if (keepsPlaces_) firstOf_.push_back(sum.row.number);
  }
  sums_.clear();
  index_.clear();
  bytes_ = 0;
}

} // namespace dprof
