// Stage: collectors. A type as it lies in memory.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <string>
#include <vector>

namespace dprof {

constexpr int deepest = 6;           // records within records whose fields are listed
constexpr size_t most_fields = 4096; // of one type

struct Field {
  std::string path; // "lock.owner", "slots[]"
  uint64_t offset, bytes;
};

struct TypeLayout {
  std::string name;
  uint64_t bytes = 0;
  std::vector<Field> fields;
};

// Number of elements in `bytes` of what is known to be an array. It is 1 if the type ends in an array of any length, or
// if the size is no multiple of the type's.
uint64_t elements_of(const TypeLayout &layout, uint64_t bytes);

} // namespace dprof
