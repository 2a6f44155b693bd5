// Stage: replay. The references to an object without a declared type, kept until its end. Then its vote and site decide
// which rows they go to. Memory follows the live objects: one entry per (core, slot, outcome) of each.
#pragma once

#include <vector>

#include "base/counts.h"
#include "objects/tallies.h"
#include "trace/record_plan.h"

namespace dprof {

/// References by struct type of their slot. Most objects see one type, so that type needs no search; a second type
/// moves both to a table.
struct Votes {
  uint32_t type;
  uint64_t count;
  Counts *many;

  void add(uint32_t of, uint64_t times = 1) {
    if (of == type) [[likely]]
      count += times;
    else if (many)
      many->add(of, times);
    else
      addOther(of, times);
  }
  void addOther(uint32_t of, uint64_t times) {
    if (type == 0) {
      type = of;
      count = times;
      return;
    }
    many = new Counts();
    many->add(type, count);
    many->add(of, times);
    type = 0;
    count = 0;
  }
  template <typename Visit> void each(Visit visit) const {
    if (count) visit(type, count);
    if (many) many->each([&](uint64_t of, uint64_t n) { visit(static_cast<uint32_t>(of), n); });
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
class ObjectCounters;

/// Sends pending counts to their rows once an object's vote, site and size are final.
struct Settler {
  Tallies &tallies;
  const std::vector<SlotPlan> &slots;
  const uint32_t *nameRank;
  Labels &labels;
  ObjectCounters &counters;

  void settle(const Pending &pending, uint32_t voted, uint32_t allocationSlot, uint32_t callPath, uint64_t size,
              bool heap) const {
    pending.each([&](uint32_t core, uint32_t slot, uint32_t bits, uint64_t count) {
      uint8_t core8 = static_cast<uint8_t>(core);
      TallyKey key = voted  ? TallyKey{slot, voted, NO_INDEX, BY_VOTE, core8, 0}
                     : heap ? TallyKey{slot, allocationSlot, leafOfPath(callPath), BY_SITE, core8, size}
                            : keyOfSlot(slot, core8, slots[slot]);
      tallies.add(tallies.row(key), bits, count);
    });
  }
};

} // namespace dprof
