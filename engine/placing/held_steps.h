// Stage: placing. Steps of one thread that wait for their places in another order; src/what-if/held-step.ts has the
// same.
#pragma once

#include <algorithm>
#include <vector>

#include "trace/record_plan.h"

namespace dprof {

/// A step: as it was recorded, and as it is placed.
struct HeldStep {
  const RecordPlan *plan;
  uint32_t placed, words, accesses; // a record's number; how many of each
  uint64_t firstWord, firstAccess;
};

class HeldSteps {
public:
  explicit HeldSteps(const std::vector<SlotPlan> &slots) : slots_(slots) {}
  size_t size() const { return steps_.size(); }
  const HeldStep &operator[](size_t at) const { return steps_[at]; }
  const uint64_t *words(const HeldStep &step) const { return words_.data() + step.firstWord; }
  const uint64_t *addresses(const HeldStep &step) const { return addresses_.data() + step.firstAccess; }

  /// Of a record that has only loads, stores and values.
  void push(const RecordPlan &plan, const uint64_t *recorded, uint32_t placed, const std::vector<uint64_t> &words) {
    const uint64_t first = addresses_.size();
    for (uint32_t slot = 0; slot < plan.slotCount; slot++)
      if (isAccess(slots_[plan.firstSlot + slot])) addresses_.push_back(recorded[slot]);
    const auto count = static_cast<uint32_t>(addresses_.size() - first);
    steps_.push_back({&plan, placed, static_cast<uint32_t>(words.size()), count, words_.size(), first});
    words_.insert(words_.end(), words.begin(), words.end());
  }
  /// The first steps are gone.
  void drop(size_t count) {
    if (count == 0) return;
    const bool all = count == steps_.size();
    const uint64_t word = all ? words_.size() : steps_[count].firstWord;
    const uint64_t access = all ? addresses_.size() : steps_[count].firstAccess;
    erase(steps_, count);
    erase(words_, word);
    erase(addresses_, access);
    for (HeldStep &step : steps_) {
      step.firstWord -= word;
      step.firstAccess -= access;
    }
  }
  /// From access to access of two steps of one record.
  void distance(const HeldStep &from, const HeldStep &to, std::vector<uint64_t> &result) const {
    result.resize(to.accesses);
    for (uint32_t i = 0; i < to.accesses; i++) result[i] = addresses(to)[i] - addresses(from)[i];
  }
  /// `take(slot, plan, address)`.
  template <typename Take> void eachAccess(const HeldStep &step, Take take) const {
    const uint64_t *address = addresses(step);
    for (uint32_t slot = step.plan->firstSlot, end = slot + step.plan->slotCount; slot < end; slot++)
      if (isAccess(slots_[slot])) take(slot, slots_[slot], *address++);
  }

private:
  static bool isAccess(const SlotPlan &slot) { return slot.kind == DPROF_SLOT_LOAD || slot.kind == DPROF_SLOT_STORE; }
  template <typename Item> static void erase(std::vector<Item> &from, uint64_t count) {
    from.erase(from.begin(), from.begin() + static_cast<ptrdiff_t>(count));
  }
  const std::vector<SlotPlan> &slots_;
  std::vector<HeldStep> steps_;
  std::vector<uint64_t> words_, addresses_;
};

} // namespace dprof
