// Stage: replay. The rows of references that an object's end decides. docs/replay/objects.md, "Types of references".
#include "objects/memory.h"

namespace dprof {

void Settler::settle(const LiveObject &object, uint32_t voted, bool pool) const {
  const bool heap = object.kind == HEAP;
  const bool beside =
      voted && heap && object.size >= BESIDE_TIMES * closedBytes(input, voted) && holdsMore(input, voted, object.size);
  const uint32_t path = leafOfPath(object.callPath);
  object.pending->each([&](uint32_t core, uint32_t slot, uint32_t bits, uint64_t count) {
    uint8_t core8 = static_cast<uint8_t>(core);
    auto keyOf = [&]() -> TallyKey {
      if (pool) return {slot, object.slot, path, BY_POOL, core8, object.size};
      if (object.flags & OBJECT_MEMORY) return {slot, object.declared, path, BY_OBJECT, core8, 0};
      if (voted) return {slot, voted, NO_INDEX, beside ? BY_BESIDE : BY_VOTE, core8, 0};
      if (heap) return {slot, object.slot, path, BY_SITE, core8, object.size};
      return keyOfSlot(slot, core8, slots[slot]);
    };
    tallies.add(tallies.row(keyOf()), bits, count);
  });
}

} // namespace dprof
