// Stage: replay. Objects of which not every byte is of the declared type: memory, pools, and bytes behind a struct.
// docs/replay/objects.md, "Memory and pools".
#pragma once

#include "objects/object_lives.h"

namespace dprof {

constexpr uint64_t PAGE_BYTES = 4096;
/// As src/contract/memory-types.ts has it.
constexpr uint64_t BESIDE_TIMES = 8;
/// Bits of types.memory, as src/contract/memory-types.ts has them.
constexpr uint8_t MEMORY_VARIABLE = 1, MEMORY_HEAP = 2, MEMORY_BYTES = 4;

/// Bytes of a struct whose fields and end are known; 0: not known, or it ends in a flexible array.
inline uint64_t closedBytes(const Input &input, uint32_t type) {
  const auto &types = input.types;
  return types.leafBase[type] == NO_INDEX || types.flexibleFrom[type] != NO_INDEX ? 0 : types.leafSpan[type];
}

/// Whether so many bytes hold something behind the struct that is no array of it.
inline bool holdsMore(const Input &input, uint32_t type, uint64_t bytes) {
  uint64_t own = closedBytes(input, type);
  return own && bytes > own && bytes % own;
}

/// The object's end decides whether the rest of it is a pool.
inline bool mayBePool(const Input &input, const LiveObject &object) {
  return object.size > PAGE_BYTES && object.kind == HEAP &&
         (!object.declared || input.types.memory[object.declared] & MEMORY_BYTES);
}
/// Asked when all votes of the object are in.
inline bool isPool(const Input &input, const LiveObject &object) {
  return object.votes.many && mayBePool(input, object);
}

/// Of an object that holds more than its declared struct.
inline bool isBehind(const Input &input, const LiveObject &object, uint64_t address) {
  return address - object.start - object.slotOffset >= closedBytes(input, object.declared); // before it: huge
}

/// Its declared type was set.
inline void noteMemory(const Input &input, LiveObject &object) {
  object.flags &= static_cast<uint8_t>(~(OBJECT_MEMORY | OBJECT_HOLDS_MORE));
  const bool heap = object.kind == HEAP;
  if (input.types.memory[object.declared] & (heap ? MEMORY_HEAP : MEMORY_VARIABLE))
    object.flags |= OBJECT_MEMORY;
  else if (heap && object.size > object.slotOffset && input.types.isStruct[object.declared] &&
           holdsMore(input, object.declared, object.size - object.slotOffset))
    object.flags |= OBJECT_HOLDS_MORE;
}

} // namespace dprof
