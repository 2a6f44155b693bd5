// Stage: collectors. How many objects of a type one allocation holds.
#include "type_layout.h"

#include <algorithm>

namespace dprof {

uint64_t elements_of(const TypeLayout &layout, uint64_t bytes) {
  const bool is_open =
      std::any_of(layout.fields.begin(), layout.fields.end(), [](const Field &field) { return field.bytes == 0; });
  return layout.bytes == 0 || is_open || bytes % layout.bytes != 0 ? 1 : std::max<uint64_t>(1, bytes / layout.bytes);
}

} // namespace dprof
