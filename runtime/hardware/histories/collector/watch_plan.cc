// Stage: collector of histories. Slots of a type, and the watches of one set.
#include "watch_plan.h"

#include <algorithm>

namespace dprof {
namespace {

bool begins_with_field(const std::string &path, const std::string &field) {
  return path.compare(0, field.size(), field) == 0 &&
         (path.size() == field.size() || path[field.size()] == '.' || path[field.size()] == '[');
}

bool is_wanted(const Slot &slot, const TypeLayout &layout, const std::vector<std::string> &wanted) {
  if (wanted.empty()) return true;
  for (const Field &field : layout.fields) {
    if (field.offset >= slot.offset + slot.bytes || field.offset + field.bytes <= slot.offset) continue;
    for (const std::string &name : wanted)
      if (begins_with_field(field.path, name)) return true;
  }
  return false;
}

} // namespace

WatchPlan::WatchPlan(const TypeLayout &layout, const PlanWishes &wishes, const ChosenSlots *chosen) {
  for (uint64_t offset = 0; offset < layout.bytes;) {
    uint32_t bytes = wishes.width;
    while (bytes > layout.bytes - offset) bytes /= 2;
    Slot slot = {offset, bytes};
    const bool is_chosen =
        !chosen || std::find(chosen->offsets.begin(), chosen->offsets.end(), offset) != chosen->offsets.end();
    if (is_chosen && is_wanted(slot, layout, wishes.fields)) slots_.push_back(slot);
    offset += bytes;
  }
  const uint32_t count = (uint32_t)slots_.size();
  const uint32_t at_once =
      wishes.cover == Cover::pairwise && count > wishes.registers ? wishes.registers / 2 : wishes.registers;
  std::vector<std::vector<uint32_t>> groups;
  for (uint32_t first = 0; first < count; first += at_once) {
    groups.emplace_back();
    for (uint32_t i = first; i < std::min(count, first + at_once); i++) groups.back().push_back(i);
  }
  if (wishes.cover == Cover::single || groups.size() < 2) {
    watches_ = groups;
    return;
  }
  for (size_t a = 0; a < groups.size(); a++)
    for (size_t b = a + 1; b < groups.size(); b++) {
      watches_.push_back(groups[a]);
      watches_.back().insert(watches_.back().end(), groups[b].begin(), groups[b].end());
    }
}

} // namespace dprof
