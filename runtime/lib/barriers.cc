// Stage: runtime. A table without locks: a barrier's threads, and how many have come to it. Entries stay when barriers
// go. If the table is full, all generations of a barrier are one object.
#include "barriers.h"

namespace dprof {
namespace {

struct Entry {
  uintptr_t barrier; // 0: free
  uint64_t arrivals;
  unsigned threads;
};
constexpr unsigned entries = 1024, most_probes = 16;
Entry table[entries];

Entry *find(uintptr_t barrier, bool make) {
  uintptr_t hash = barrier / sizeof(pthread_barrier_t);
  for (unsigned probe = 0; probe < most_probes; probe++) {
    Entry &entry = table[(hash + probe) % entries];
    uintptr_t found = __atomic_load_n(&entry.barrier, __ATOMIC_ACQUIRE);
    if (found == barrier) return &entry;
    if (found) continue;
    if (!make) return nullptr;
    if (__atomic_compare_exchange_n(&entry.barrier, &found, barrier, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
        found == barrier)
      return &entry;
  }
  return nullptr;
}

} // namespace

void note_barrier(const pthread_barrier_t *barrier, unsigned threads) {
  Entry *entry = find((uintptr_t)barrier, true);
  if (!entry) return;
  __atomic_store_n(&entry->arrivals, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&entry->threads, threads, __ATOMIC_RELEASE);
}

uint64_t barrier_object(const pthread_barrier_t *barrier) {
  static_assert(alignof(pthread_barrier_t) > 1, "an address leaves a bit for the generation");
  Entry *entry = find((uintptr_t)barrier, false);
  unsigned threads = entry ? __atomic_load_n(&entry->threads, __ATOMIC_ACQUIRE) : 0;
  if (!threads) return (uintptr_t)barrier;
  return (uintptr_t)barrier | (__atomic_fetch_add(&entry->arrivals, 1, __ATOMIC_ACQ_REL) / threads & 1);
}

} // namespace dprof
