// Stage: replay. The events of each object: OBJECT_COUNTERS of src/contract/result.ts. A live object has a short list,
// with an entry per outcome of its misses, so an object that never missed costs nothing. When the object ends, the
// counters that are not 0 go with its row.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/huge_vector.h"
#include "batch/outcome.h"
#include "objects/object_log.h"

namespace dprof {

/// The part of the counters that each live object holds.
struct ObjectCounts {
  uint64_t unreadMisses = 0; // in its present life: L1 misses of stores since the last load
  uint32_t first = 0;        // entry of its list, 0: none
  bool wasRead = false;      // in its present life: a load came before those misses
};

class ObjectCounters {
public:
  explicit ObjectCounters(const Latencies &latencies) : latencies_(latencies) {}
  /// A reference to the object missed at least the L1.
  void miss(ObjectCounts &of, uint32_t bits, uint64_t times = 1) { add(of, bits & (SIGNATURE | LATENCY_BITS), times); }
  /// It was a store. `loaded`: whether the object was loaded since the last call; the call clears it.
  void storeMissed(ObjectCounts &of, bool loaded) {
    passLoads(of, loaded);
    of.unreadMisses++;
  }
  /// Any other reference, which may be part of an access that missed.
  void hit(ObjectCounts &of, uint32_t bits, uint64_t times = 1) {
    if (bits & outcome::MISSED && outcome::latencyServer(bits) != NO_SERVER)
      add(of, (bits & LATENCY_BITS) | outcome::PLAIN, times);
  }
  void fetch(const ObjectCounts &of) const { __builtin_prefetch(&entries_[of.first]); }
  void endLife(ObjectCounts &of, bool loaded) {
    passLoads(of, loaded);
    if (of.unreadMisses) add(of, of.wasRead ? AFTER : BEFORE, of.unreadMisses);
    of.unreadMisses = 0;
    of.wasRead = false;
  }
  /// Forgets the counts of an object that has not ended.
  void forget(ObjectCounts &of);
  /// Nobody will refer to the object any more. Returns the counts that are not 0, in order; valid until the next call.
  const std::vector<ObjectCount> &settle(ObjectCounts &of);

private:
  struct Entry {
    uint32_t key, next;
    uint64_t count;
  };
  // The bits of an outcome for classes, sharing and rules, and those for its latency. The other keys have none
  // of these bits.
  static constexpr uint32_t SIGNATURE = 0x3ffff0, BEFORE = 1, AFTER = 2,
                            LATENCY_BITS = 7u << outcome::LATENCY | outcome::MISSED | 3u << outcome::LATENCY_TLB;

  /// A load came: the data of stores that missed before it has found a reader.
  void passLoads(ObjectCounts &of, bool loaded) {
    if (!loaded) return;
    if (!of.wasRead && of.unreadMisses) add(of, BEFORE, of.unreadMisses);
    of.wasRead = true;
    of.unreadMisses = 0;
  }
  void add(ObjectCounts &of, uint32_t key, uint64_t count) {
    Entry &first = entries_[of.first];
    if (first.key == key) [[likely]]
      first.count += count;
    else
      addOther(of, key, count);
  }
  /// The key becomes that of the first entry: the next one is mostly the same.
  [[gnu::noinline]] void addOther(ObjectCounts &of, uint32_t key, uint64_t count);

  const Latencies latencies_;
  HugeVector<Entry> entries_{{NO_INDEX, 0, 0}}; // number 0 has no key
  uint32_t free_ = 0;
  std::vector<ObjectCount> settled_;
};

} // namespace dprof
