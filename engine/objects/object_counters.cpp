// Stage: replay. Lists of outcomes, and their sums at the end.
#include "objects/object_counters.h"

#include <array>
#include <bit>

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
  uint64_t met = 0; // a bit for each counter that may not be 0
  static_assert(object_counter::COUNT <= 64);
  auto add = [&](unsigned counter, uint64_t count) {
    counts[counter] += count;
    met |= uint64_t{1} << counter;
  };
  for (uint32_t at = of.first; at;) {
    const Entry entry = entries_[at];
    if (entry.key & MISSED && latencyServer(entry.key) != NO_SERVER)
      add(object_counter::MISS_LATENCY_CYCLES,
          entry.count * (uint64_t{latencies_[latencyServer(entry.key)]} + latencies_[SERVERS + latencyTlb(entry.key)]));
    if (entry.key == BEFORE)
      add(object_counter::MISSES_BEFORE_FIRST_USE, entry.count);
    else if (entry.key == AFTER)
      add(object_counter::MISSES_AFTER_LAST_USE, entry.count);
    else
      for (unsigned level = 0; level < 3 && missClass(entry.key, level) != HIT; level++) {
        const unsigned first = level * PER_LEVEL;
        add(first + object_counter::L1_COMPULSORY + missClass(entry.key, level), entry.count);
        if (shared(entry.key, level)) add(first + object_counter::L1_COMPULSORY_SHARED, entry.count);
        add(first + object_counter::L1_DPROF_INVALIDATION + rule(entry.key, level), entry.count);
      }
    entries_[at].next = free_;
    free_ = at;
    at = entry.next;
  }
  of.first = 0;
  for (; met; met &= met - 1) {
    const unsigned counter = static_cast<unsigned>(std::countr_zero(met));
    if (counts[counter]) settled_.push_back({counter, counts[counter]});
  }
  return settled_;
}

} // namespace dprof
