// Stage: placing. Only what lies near a store is looked up.
#include "placing/dependences.h"

#include <bit>

namespace dprof {

constexpr uint64_t MOST_UNIT = 64;

uint32_t Dependences::broken(const HeldSteps &held, size_t first, size_t end, const std::vector<uint32_t> &places) {
  uint64_t begin = ~uint64_t{0}, until = 0;
  auto each = [&](auto take) {
    for (size_t at = first; at < end; at++)
      held.eachAccess(held[at],
                      [&](uint32_t slot, const SlotPlan &plan, uint64_t address) { take(at, slot, plan, address); });
  };
  each([&](size_t, uint32_t, const SlotPlan &plan, uint64_t address) {
    if (plan.kind != DPROF_SLOT_STORE) return;
    begin = std::min(begin, address);
    until = std::max(until, address + plan.size);
  });
  if (until == 0) return NO_INDEX;
  auto isNear = [&](uint64_t address, uint64_t size) { return address < until && address + size > begin; };
  uint64_t bits = MOST_UNIT;
  each([&](size_t, uint32_t, const SlotPlan &plan, uint64_t address) {
    if (isNear(address, plan.size)) bits |= address % MOST_UNIT | plan.size % MOST_UNIT;
  });
  const int shift = std::countr_zero(bits);
  table_.assign(1 << 10, {});
  used_ = 0;
  uint32_t found = NO_INDEX;
  each([&](size_t at, uint32_t slot, const SlotPlan &plan, uint64_t address) {
    if (found != NO_INDEX || !isNear(address, plan.size)) return;
    const uint32_t place = places[at - first];
    for (uint64_t number = address >> shift; number << shift < address + plan.size; number++) {
      Unit &unit = unitAt(number);
      const bool stores = plan.kind == DPROF_SLOT_STORE;
      if (place < (stores ? unit.accessed : unit.stored)) found = slot;
      unit.accessed = std::max(unit.accessed, place);
      if (stores) unit.stored = place;
    }
  });
  return found;
}

Dependences::Unit &Dependences::unitAt(uint64_t number) {
  if (used_ * 2 >= table_.size()) grow();
  for (uint64_t at = number * 0x9e3779b97f4a7c15 >> 20;; at++) {
    Unit &unit = table_[at % table_.size()];
    if (unit.number == number) return unit;
    if (unit.number != ~uint64_t{0}) continue;
    used_++;
    unit.number = number;
    return unit;
  }
}

void Dependences::grow() {
  std::vector<Unit> old(table_.size() * 2);
  old.swap(table_);
  used_ = 0;
  for (const Unit &unit : old)
    if (unit.number != ~uint64_t{0}) unitAt(unit.number) = unit;
}

} // namespace dprof
