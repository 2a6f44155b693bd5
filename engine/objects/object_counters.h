// Stage: replay. What each object met: OBJECT_COUNTERS of src/contract/result.ts. A live object has a short list, an
// entry per outcome that its misses had, so an object that never missed costs nothing; when it ends, what is not 0 goes
// with its row.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/huge_vector.h"
#include "batch/outcome.h"
#include "objects/object_log.h"

namespace dprof {

/// A live object's part of it.
struct ObjectCounts {
  uint64_t unreadMisses = 0; // in its present life: L1 misses of stores since the last load
  uint32_t first = 0;        // entry of its list, 0: none
  bool wasRead = false;      // in its present life: before those
};

class ObjectCounters {
public:
  /// A reference to the object, which missed at least the L1. `loaded`: whether it was loaded since the last call; it
  /// is told once.
  void miss(ObjectCounts &of, uint32_t bits, bool &loaded) {
    using namespace outcome;
    add(of, bits & SIGNATURE, 1);
    if (!(bits & STORE)) return;
    passLoads(of, loaded);
    of.unreadMisses++;
  }
  void fetch(const ObjectCounts &of) const { __builtin_prefetch(&entries_[of.first]); }
  void latency(ObjectCounts &of, uint64_t cycles) { add(of, LATENCY, cycles); }
  void endLife(ObjectCounts &of, bool &loaded) {
    passLoads(of, loaded);
    if (of.unreadMisses) add(of, of.wasRead ? AFTER : BEFORE, of.unreadMisses);
    of.unreadMisses = 0;
    of.wasRead = false;
  }
  /// The counts of what has not ended are forgotten.
  void forget(ObjectCounts &of);
  /// Nobody will refer to the object any more: those that are not 0, in order, until the next call.
  const std::vector<ObjectCount> &settle(ObjectCounts &of);

private:
  struct Entry {
    uint32_t key, next;
    uint64_t count;
  };
  // Classes, shared and rules of an outcome; the other keys are none of these bits.
  static constexpr uint32_t SIGNATURE = 0x3ffff0, BEFORE = 1, AFTER = 2, LATENCY = 3;

  /// What stores missed before a load has found a reader.
  void passLoads(ObjectCounts &of, bool &loaded) {
    if (!loaded) return;
    loaded = false;
    if (!of.wasRead && of.unreadMisses) add(of, BEFORE, of.unreadMisses);
    of.wasRead = true;
    of.unreadMisses = 0;
  }
  void add(ObjectCounts &of, uint32_t key, uint64_t count) {
    for (uint32_t at = of.first; at; at = entries_[at].next) {
      if (entries_[at].key != key) continue;
      entries_[at].count += count;
      return;
    }
    insert(of, key, count);
  }
  void insert(ObjectCounts &of, uint32_t key, uint64_t count);

  HugeVector<Entry> entries_ = HugeVector<Entry>(1);
  uint32_t free_ = 0;
  std::vector<ObjectCount> settled_;
};

} // namespace dprof
