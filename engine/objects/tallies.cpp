// Stage: replay. Finds rows of the tally table by key, and adds outcomes to them.
#include "objects/tallies.h"

namespace dprof {

using namespace outcome;

static size_t hashOf(const TallyKey &key) {
  uint64_t h = (uint64_t{key.slot} << 32 | key.leaf) * 0x9e3779b97f4a7c15ull;
  h = (h ^ h >> 29 ^ (uint64_t{key.type} << 16 | uint64_t{key.core} << 8 | key.rule)) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ h >> 32 ^ key.siteBytes) * 0x94d049bb133111ebull;
  return h ^ h >> 31;
}

uint32_t Tallies::row(const TallyKey &key) {
  size_t mask = table_.size() - 1, i = hashOf(key) & mask;
  for (; table_[i]; i = (i + 1) & mask)
    if (keys_[table_[i] - 1] == key) return table_[i] - 1;
  keys_.push_back(key);
  hits_.push_back({});
  table_[i] = static_cast<uint32_t>(keys_.size());
  if (keys_.size() * 2 > table_.size()) {
    table_.assign(table_.size() * 2, 0);
    mask = table_.size() - 1;
    for (uint32_t row = 0; row < keys_.size(); row++) {
      for (i = hashOf(keys_[row]) & mask; table_[i]; i = (i + 1) & mask) {}
      table_[i] = row + 1;
    }
  }
  return static_cast<uint32_t>(keys_.size() - 1);
}

void Tallies::restart() {
  lately_.assign(LATELY, {});
  hits_.assign(hits_.size(), {});
  full_.clear();
}

void Tallies::addNow(uint32_t row, uint32_t bits, uint64_t count) {
  uint32_t store = bits & STORE;
  if ((bits & ~STORE) == PLAIN) {
    hits_[row].count[store] += count;
    return;
  }
  if (hits_[row].full == 0) {
    full_.push_back({});
    hits_[row].full = static_cast<uint32_t>(full_.size());
  }
  uint64_t *counts = full_[hits_[row].full - 1].counter;
  if (isPrefetches(bits)) {
    constexpr unsigned PER_LEVEL = counter::L2_PREFETCH_ISSUED - counter::L1_PREFETCH_ISSUED;
    for (unsigned level = 0; level < 2; level++) {
      counts[counter::L1_PREFETCH_ISSUED + level * PER_LEVEL] += prefetchIssued(bits, level) * count;
      counts[counter::L1_PREFETCH_HITS + level * PER_LEVEL] += prefetchHit(bits, level) * count;
    }
    return;
  }
  counts[counter::LOADS + store] += count;
  for (unsigned level = 0; level < 3; level++) {
    uint32_t kind = missClass(bits, level);
    if (kind == HIT) break;
    uint64_t *of = counts + level * LEVEL_COUNTERS;
    of[counter::L1_MISS_LOADS + store] += count;
    of[counter::L1_COMPULSORY + kind] += count;
    of[counter::L1_COMPULSORY_SHARED] += shared(bits, level) * count;
    of[counter::L1_DPROF_INVALIDATION + rule(bits, level)] += count;
  }
  counts[counter::SERVED_L1 + server(bits)] += count;
  if (latencyServer(bits) != NO_SERVER) {
    uint64_t latency = (uint64_t{latencies_[latencyServer(bits)]} + latencies_[SERVERS + latencyTlb(bits)]) * count;
    counts[counter::LATENCY_CYCLES] += latency;
    if (bits & MISSED) counts[counter::MISS_LATENCY_CYCLES] += latency;
  }
  for (unsigned level = 0; level < tlb(bits); level++) counts[counter::TLB_L1_MISSES + level] += count;
  if (bits & TRANSFER) counts[counter::TRANSFERS] += count;
  if (bits & ORDER_BOUND) counts[counter::ORDER_BOUND_TRANSFERS] += count;
}

void Tallies::counters(size_t row, double *into) const {
  const Hits &hits = hits_[row];
  for (unsigned i = 0; i < COUNTERS; i++)
    into[i] = hits.full ? static_cast<double>(full_[hits.full - 1].counter[i]) : 0;
  uint64_t plain = hits.count[0] + hits.count[1];
  into[counter::LOADS] += static_cast<double>(hits.count[0]);
  into[counter::STORES] += static_cast<double>(hits.count[1]);
  into[counter::SERVED_L1] += static_cast<double>(plain);
  into[counter::LATENCY_CYCLES] += static_cast<double>(plain * latencies_[SERVED_L1]);
}

} // namespace dprof
