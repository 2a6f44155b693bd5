// Stage: replay. Lists of outcomes, and their sums at the end.
#include "objects/object_counters.h"

#include <array>

namespace dprof {

using namespace outcome;

void ObjectCounters::insert(ObjectCounts &of, uint32_t key, uint64_t count) {
  uint32_t at = free_;
  if (at)
    free_ = entries_[at].next;
  else {
    at = static_cast<uint32_t>(entries_.size());
    entries_.emplace_back();
  }
  entries_[at] = {key, of.first, count};
  of.first = at;
}

void ObjectCounters::forget(ObjectCounts &of) {
  for (uint32_t at = of.first; at;) {
    uint32_t next = entries_[at].next;
    entries_[at].next = free_;
    free_ = at;
    at = next;
  }
  of.first = 0;
  of.unreadMisses = 0;
}

const std::vector<ObjectCount> &ObjectCounters::settle(ObjectCounts &of) {
  constexpr unsigned CLASSES = 5, PER_LEVEL = CLASSES + 1 + 3,
                     LATENCY_AT = 3 * PER_LEVEL; // as OBJECT_COUNTERS lists them
  std::array<uint64_t, LATENCY_AT + 3> counts{};
  for (uint32_t at = of.first; at;) {
    const Entry entry = entries_[at];
    if (entry.key == LATENCY)
      counts[LATENCY_AT] += entry.count;
    else if (entry.key == BEFORE || entry.key == AFTER)
      counts[LATENCY_AT + entry.key] += entry.count;
    else
      for (unsigned level = 0; level < 3 && missClass(entry.key, level) != HIT; level++) {
        counts[level * PER_LEVEL + missClass(entry.key, level)] += entry.count;
        counts[level * PER_LEVEL + CLASSES] += shared(entry.key, level) * entry.count;
        counts[level * PER_LEVEL + CLASSES + 1 + rule(entry.key, level)] += entry.count;
      }
    entries_[at].next = free_;
    free_ = at;
    at = entry.next;
  }
  of.first = 0;
  settled_.clear();
  for (unsigned i = 0; i < counts.size(); i++)
    if (counts[i]) settled_.push_back({i, counts[i]});
  return settled_;
}

} // namespace dprof
