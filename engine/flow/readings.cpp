// Stage: replay. Finds a reading's number by its content.
#include "flow/readings.h"

namespace dprof {

static size_t hashOf(const Reading &reading) {
  uint64_t h = (uint64_t{reading.type} << 32 | reading.variable) * 0x9e3779b97f4a7c15ull;
  h = (h ^ h >> 29 ^ (uint64_t{reading.allocationSlot} << 8 | reading.kind)) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ h >> 32 ^ reading.size ^ uint64_t{reading.isPool} << 63) * 0x94d049bb133111ebull;
  return h ^ h >> 31;
}

uint32_t Readings::number(const Reading &reading) {
  size_t mask = table_.size() - 1, i = hashOf(reading) & mask;
  for (; table_[i]; i = (i + 1) & mask)
    if (rows[table_[i] - 1] == reading) return table_[i] - 1;
  rows.push_back(reading);
  table_[i] = static_cast<uint32_t>(rows.size());
  if (rows.size() * 2 > table_.size()) {
    table_.assign(table_.size() * 2, 0);
    mask = table_.size() - 1;
    for (uint32_t row = 0; row < rows.size(); row++) {
      for (i = hashOf(rows[row]) & mask; table_[i]; i = (i + 1) & mask) {}
      table_[i] = row + 1;
    }
  }
  return static_cast<uint32_t>(rows.size() - 1);
}

} // namespace dprof
