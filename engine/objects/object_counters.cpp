// Stage: replay. Lists of outcomes, and their sums at the end.
#include "objects/object_counters.h"

#include <array>

#include "generated/result_columns.h"

namespace dprof {

using namespace outcome;

void ObjectCounters::addOther(ObjectCounts &of, uint32_t key, uint64_t count) {
  for (uint32_t *link = &of.first; *link; link = &entries_[*link].next) {
    const uint32_t at = *link;
    if (entries_[at].key != key) continue;
    entries_[at].count += count;
    *link = entries_[at].next;
    entries_[at].next = of.first;
    of.first = at;
    return;
  }
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
  constexpr unsigned PER_LEVEL = object_counter::L2_COMPULSORY - object_counter::L1_COMPULSORY;
  settled_.clear();
  if (!of.first) return settled_;
  std::array<uint64_t, object_counter::COUNT> counts{};
  for (uint32_t at = of.first; at;) {
    const Entry entry = entries_[at];
    if (entry.key & MISSED && latencyServer(entry.key) != NO_SERVER)
      counts[object_counter::MISS_LATENCY_CYCLES] +=
          entry.count * (uint64_t{latencies_[latencyServer(entry.key)]} + latencies_[SERVERS + latencyTlb(entry.key)]);
    if (entry.key == BEFORE)
      counts[object_counter::MISSES_BEFORE_FIRST_USE] += entry.count;
    else if (entry.key == AFTER)
      counts[object_counter::MISSES_AFTER_LAST_USE] += entry.count;
    else
      for (unsigned level = 0; level < 3 && missClass(entry.key, level) != HIT; level++) {
        uint64_t *of = &counts[level * PER_LEVEL];
        of[object_counter::L1_COMPULSORY + missClass(entry.key, level)] += entry.count;
        of[object_counter::L1_COMPULSORY_SHARED] += shared(entry.key, level) * entry.count;
        of[object_counter::L1_DPROF_INVALIDATION + rule(entry.key, level)] += entry.count;
      }
    entries_[at].next = free_;
    free_ = at;
    at = entry.next;
  }
  of.first = 0;
  for (unsigned i = 0; i < counts.size(); i++)
    if (counts[i]) settled_.push_back({i, counts[i]});
  return settled_;
}

} // namespace dprof
