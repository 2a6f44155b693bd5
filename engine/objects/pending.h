// Stage: replay. The references to an object without a declared type, kept until its end. Then its vote and site decide
// which rows they go to. Memory follows the live objects: one entry per (core, slot, outcome) of each.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/counts.h"
#include "objects/tallies.h"
#include "trace/record_plan.h"

namespace dprof {

/// References by struct type of their slot. Most objects see one type, so the first type needs no search; all others
/// are in a table. No count moves while the object stays where it is.
struct Votes {
  uint32_t type;
  uint64_t count;
  std::unordered_map<uint32_t, uint64_t> *many;

  void add(uint32_t of, uint64_t times = 1) {
    if (of == type) [[likely]]
      count += times;
    else if (many)
      (*many)[of] += times;
    else
      addOther(of, times);
  }
  void addOther(uint32_t of, uint64_t times) {
    if (type == 0) {
      type = of;
      count = times;
      return;
    }
    many = new std::unordered_map<uint32_t, uint64_t>{{of, times}};
  }
  /// The count of a type that was added.
  uint64_t *countOf(uint32_t of) { return of == type ? &count : &many->find(of)->second; }
  template <typename Visit> void each(Visit visit) const {
    if (count) visit(type, count);
    if (many)
      for (const auto &[of, n] : *many) visit(of, n);
  }
  /// The winner; 0 if there was no vote. Ties go to the smaller rank.
  uint32_t winner(const uint32_t *rank) const {
    uint32_t best = 0;
    uint64_t most = 0;
    each([&](uint32_t of, uint64_t n) {
      if (n > most || (n == most && rank[of] < rank[best])) {
        best = of;
        most = n;
      }
    });
    return best;
  }
};

/// References by (core, slot, outcome).
class Pending {
public:
  void add(uint32_t core, uint32_t slot, uint32_t bits, uint64_t times = 1) {
    counts_.add(uint64_t{core} << 58 | uint64_t{slot} << 32 | bits, times);
  }
  template <typename Visit> void each(Visit visit) const {
    counts_.each([&](uint64_t key, uint64_t count) {
      visit(static_cast<uint32_t>(key >> 58), static_cast<uint32_t>(key >> 32) & (MOST_SLOTS - 1),
            static_cast<uint32_t>(key), count);
    });
  }

private:
  Counts counts_;
};

class Labels;
class MemoryStructs;
class ObjectCounters;
struct LiveObject;

/// Sends pending counts to their rows once an object's vote, site and size are final.
struct Settler {
  Tallies &tallies;
  const std::vector<SlotPlan> &slots;
  const Input &input;
  Labels &labels;
  ObjectCounters &counters;
  MemoryStructs &structs;

  /// The object has pending counts.
  void settle(const LiveObject &object, uint32_t voted, bool pool) const; // settler.cpp
};

} // namespace dprof
