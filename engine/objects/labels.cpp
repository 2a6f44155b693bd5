// Stage: replay. Sites are numbered as they are met; their votes wait for the end of the run.
#include "objects/labels.h"

#include "objects/memory.h"

namespace dprof {

uint32_t Labels::intern(uint32_t allocationSlot, uint64_t size) {
  auto [known, isNew] = numbers_.try_emplace({allocationSlot, size}, 0);
  if (isNew) {
    sites.push_back({allocationSlot, size, {}});
    known->second = noObject + static_cast<uint32_t>(sites.size());
    if (known->second >= NONE)
      throw InputError("the program has more types and heap sites than the native engine numbers");
  }
  return known->second;
}

void Labels::settle(LiveObject &object) {
  if (object.kind != HEAP || object.declared) return;
  object.votes.each(
      [&](uint32_t type, uint64_t count) { sites[ofSite(object) - noObject - 1].votes.add(type, count); });
}

bool Labels::isOfPools(const Site &site) {
  unsigned structs = 0;
  site.votes.each([&](uint64_t, uint64_t) { structs++; });
  return site.size > PAGE_BYTES && structs > 1;
}

uint32_t Labels::named(const Site &site) const {
  if (isOfPools(site)) return 0;
  uint32_t best = 0;
  uint64_t most = 0;
  site.votes.each([&](uint64_t type, uint64_t count) {
    uint32_t voted = static_cast<uint32_t>(type);
    if (count < most || (count == most && input_.types.nameRank[voted] >= input_.types.nameRank[best])) return;
    best = voted;
    most = count;
  });
  return best;
}

} // namespace dprof
