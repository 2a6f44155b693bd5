// Stage: recorder. The bytes of one unit, as found in the program's memory -> its tables, each index checked by
// `plausible` or by the caller.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "dprof/unit_format.h"

namespace dprof {

class UnitView {
public:
  // Whether `left` bytes begin with a unit whose tables lie inside it.
  static bool plausible(const uint8_t *bytes, size_t left);

  explicit UnitView(const uint8_t *bytes) : bytes_(bytes) { memcpy(&header_, bytes, sizeof header_); }

  const dprof_unit_header &header() const { return header_; }
  // Indices below the counts in the header.
  dprof_slot slot(uint64_t i) const { return entry<dprof_slot>(header_.slots_offset, i); }
  dprof_record record(uint64_t i) const { return entry<dprof_record>(header_.records_offset, i); }
  dprof_region region(uint64_t i) const { return entry<dprof_region>(header_.regions_offset, i); }
  dprof_node node(uint64_t i) const { return entry<dprof_node>(header_.nodes_offset, i); }
  dprof_edge edge(uint64_t i) const { return entry<dprof_edge>(header_.edges_offset, i); }

private:
  template <typename Entry> Entry entry(uint32_t offset, uint64_t i) const {
    Entry copy;
    memcpy(&copy, bytes_ + offset + i * sizeof copy, sizeof copy);
    return copy;
  }

  const uint8_t *bytes_;
  dprof_unit_header header_;
};

} // namespace dprof
