// Stage: replay. Rows of the tally table by key, and what one outcome adds to a row.
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
  hits_.assign(hits_.size(), {});
  full_.clear();
}

void Tallies::add(uint32_t row, uint32_t bits, uint64_t count) {
  uint32_t store = bits & STORE;
  if ((bits & ~STORE) == PLAIN) {
    hits_[row].count[store] += count;
    return;
  }
  if (hits_[row].full == 0) {
    full_.push_back({});
    hits_[row].full = static_cast<uint32_t>(full_.size());
  }
  uint64_t *counter = full_[hits_[row].full - 1].counter;
  if (isPrefetches(bits)) {
    for (unsigned level = 0; level < 2; level++) {
      counter[PREFETCHING + 2 * level] += prefetchIssued(bits, level) * count;
      counter[PREFETCHING + 2 * level + 1] += prefetchHit(bits, level) * count;
    }
    return;
  }
  counter[store] += count;
  for (unsigned level = 0; level < 3; level++) {
    uint32_t kind = missClass(bits, level);
    if (kind == HIT) break;
    uint64_t *of = counter + FIRST_LEVEL + level * LEVEL_COUNTERS;
    of[store] += count;
    of[2 + kind] += count;
    of[7] += shared(bits, level) * count;
    of[8 + rule(bits, level)] += count;
  }
  counter[FIRST_SERVER + server(bits)] += count;
  if (latencyServer(bits) != NO_SERVER) {
    uint64_t latency = (uint64_t{latencies_[latencyServer(bits)]} + latencies_[SERVERS + latencyTlb(bits)]) * count;
    counter[LATENCY_CYCLES] += latency;
    if (bits & MISSED) counter[MISS_LATENCY_CYCLES] += latency;
  }
  for (unsigned level = 0; level < tlb(bits); level++) counter[TLB_MISSES + level] += count;
  if (bits & TRANSFER) counter[TRANSFERS] += count;
  if (bits & ORDER_BOUND) counter[ORDER_BOUND_TRANSFERS] += count;
}

void Tallies::counters(size_t row, double *into) const {
  const Hits &hits = hits_[row];
  for (unsigned i = 0; i < COUNTERS; i++)
    into[i] = hits.full ? static_cast<double>(full_[hits.full - 1].counter[i]) : 0;
  uint64_t plain = hits.count[0] + hits.count[1];
  into[0] += static_cast<double>(hits.count[0]);
  into[1] += static_cast<double>(hits.count[1]);
  into[FIRST_SERVER] += static_cast<double>(plain);
  into[LATENCY_CYCLES] += static_cast<double>(plain * latencies_[SERVED_L1]);
}

} // namespace dprof
