// Stage: recorder. Checks everything that a unit must satisfy, before any other code reads it.
#include "unit_view.h"

namespace dprof {
namespace {

template <typename Entry> bool table_inside(const dprof_unit_header &header, uint32_t offset, uint32_t count) {
  return offset <= header.size_bytes && (uint64_t)count * sizeof(Entry) <= header.size_bytes - offset;
}

} // namespace

bool UnitView::plausible(const uint8_t *bytes, size_t left) {
  dprof_unit_header header;
  if (left < sizeof header) return false;
  memcpy(&header, bytes, sizeof header);
  return header.magic == DPROF_UNIT_MAGIC && header.version == DPROF_UNIT_VERSION &&
         header.size_bytes >= sizeof header && header.size_bytes % 16 == 0 && header.size_bytes <= left &&
         table_inside<dprof_slot>(header, header.slots_offset, header.slots_count) &&
         table_inside<dprof_variable>(header, header.variables_offset, header.variables_count) &&
         table_inside<dprof_record>(header, header.records_offset, header.records_count) &&
         table_inside<dprof_region>(header, header.regions_offset, header.regions_count) &&
         table_inside<dprof_node>(header, header.nodes_offset, header.nodes_count) &&
         table_inside<dprof_edge>(header, header.edges_offset, header.edges_count);
}

} // namespace dprof
