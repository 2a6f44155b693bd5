// Stage: replay. Which leaf of a declared type an address lies in. docs/replay/objects.md, "Types of references".
#pragma once

#include "objects/memory.h"
#include "objects/objects.h"
#include "objects/tallies.h"

namespace dprof {

inline uint32_t leafAt(const Input &input, uint32_t type, int64_t offset) {
  const auto &types = input.types;
  uint32_t span = types.leafSpan[type];
  if (types.leafBase[type] == NO_INDEX || span == 0 || offset < 0) return NO_INDEX;
  uint64_t at = static_cast<uint64_t>(offset);
  if (at >= types.flexibleFrom[type]) return types.flexibleLeaf[type];
  return types.leafAt[types.leafBase[type] + (at < span ? at : at % span)];
}

inline uint32_t declaredLeaf(const Input &input, const LiveObject &object, uint64_t address) {
  if (!input.types.isStruct[object.declared]) return object.kind == HEAP ? NO_INDEX : object.variable;
  if (object.flags & OBJECT_HOLDS_MORE && isBehind(input, object, address)) return NO_INDEX;
  return leafAt(input, object.declared, static_cast<int64_t>(address - object.start - object.slotOffset));
}

/// The same as rows of references have it: an array of scalars on the heap says how it was allocated.
inline uint32_t referenceLeaf(const Input &input, const LiveObject &object, uint64_t address) {
  const bool isArray = object.kind == HEAP && !input.types.isStruct[object.declared];
  return isArray ? leafOfPath(object.callPath) : declaredLeaf(input, object, address);
}

} // namespace dprof
