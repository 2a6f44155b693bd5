// Stage: replay. What an object without a declared type has met until its end, when its vote and site say which rows it goes to.
// Memory follows the live objects: one entry per (slot, outcome) of each.
#pragma once

#include <memory>
#include <vector>

#include "record_plan.h"
#include "tallies.h"

namespace dprof {

/// References by struct type of their slot. Most objects see one type, so that one needs no search.
struct Votes {
  uint32_t type;
  uint64_t count;
  std::vector<std::pair<uint32_t, uint64_t>> *others;

  void add(uint32_t of) {
    if (of == type) [[likely]] count++;
    else addOther(of);
  }
  void addOther(uint32_t of) {
    if (type == 0) {
      type = of;
      count = 1;
      return;
    }
    if (!others) others = new std::vector<std::pair<uint32_t, uint64_t>>();
    for (auto &other : *others)
      if (other.first == of) {
        other.second++;
        std::swap(other.first, type); // the one asked for last is likely asked for next
        std::swap(other.second, count);
        return;
      }
    others->push_back({type, count});
    type = of;
    count = 1;
  }
  /// The winner; 0 if there was no vote. Ties go to the smaller rank.
  uint32_t winner(const uint32_t *rank) const {
    uint32_t best = type;
    uint64_t most = count;
    if (others)
      for (const auto &[of, n] : *others)
        if (n > most || (n == most && rank[of] < rank[best])) {
          best = of;
          most = n;
        }
    return best;
  }
};

class Pending {
public:
  struct Entry {
    uint32_t slot, bits;
    uint64_t count; // 0: free
  };
  void add(uint32_t slot, uint32_t bits) {
    size_t i = hashOf(slot, bits) & mask_;
    while (entries_[i].count && (entries_[i].slot != slot || entries_[i].bits != bits)) i = (i + 1) & mask_;
    if (entries_[i].count++) [[likely]] return;
    entries_[i].slot = slot;
    entries_[i].bits = bits;
    if (++used_ * 4 > (mask_ + 1) * 3) widen();
  }
  template <typename Visit> void each(Visit visit) const {
    for (size_t i = 0; i <= mask_; i++)
      if (entries_[i].count) visit(entries_[i]);
  }

private:
  static size_t hashOf(uint32_t slot, uint32_t bits) {
    uint64_t h = (uint64_t{slot} << 32 | bits) * 0x9e3779b97f4a7c15ull;
    return h >> 32 ^ h >> 48;
  }
  void widen() {
    Pending wider;
    wider.mask_ = mask_ * 2 + 1;
    wider.used_ = used_;
    wider.entries_ = std::make_unique<Entry[]>(wider.mask_ + 1);
    each([&](const Entry &entry) {
      size_t i = hashOf(entry.slot, entry.bits) & wider.mask_;
      while (wider.entries_[i].count) i = (i + 1) & wider.mask_;
      wider.entries_[i] = entry;
    });
    *this = std::move(wider);
  }
  size_t mask_ = 3, used_ = 0;
  std::unique_ptr<Entry[]> entries_ = std::make_unique<Entry[]>(4);
};

/// Where pending counts go once an object's vote, site and size are final.
struct Settler {
  Tallies &tallies;
  const std::vector<SlotPlan> &slots;
  const uint32_t *nameRank;

  void settle(const Pending &pending, uint32_t voted, uint32_t allocationSlot, uint64_t size, bool heap) const {
    pending.each([&](const Pending::Entry &entry) {
      TallyKey key = voted  ? TallyKey{entry.slot, voted, NO_INDEX, BY_VOTE, 0}
                     : heap ? TallyKey{entry.slot, allocationSlot, NO_INDEX, BY_SITE, size}
                            : keyOfSlot(entry.slot, slots[entry.slot]);
      tallies.add(tallies.row(key), entry.bits, entry.count);
    });
  }
};

} // namespace dprof
