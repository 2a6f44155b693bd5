// Stage: replay. The structs that accesses name in memory: objects of which they are not the type, so nobody counts how
// many of them live. docs/replay/objects.md, "Memory and pools".
#pragma once

#include <map>
#include <tuple>

#include "objects/memory.h"

namespace dprof {

class MemoryStructs {
public:
  /// The object has ended.
  void settle(const Input &input, const LiveObject &object) {
    if (!(object.flags & (OBJECT_MEMORY | OBJECT_HOLDS_MORE)) && !isPool(input, object)) return;
    object.votes.each([&](uint32_t type, uint64_t) {
      if (input.types.declared[type] != object.declared)
        objects[{object.slot, object.variable, object.kind == HEAP ? object.callPath : 0, type}]++;
    });
  }

  /// allocation slot, variable, call path, struct
  using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;
  std::map<Key, uint64_t> objects;
};

} // namespace dprof
