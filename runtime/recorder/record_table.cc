// Stage: recorder. Reads units as found in the program's memory, trusting nothing.
#include "record_table.h"

#include <string.h>

#include <algorithm>

namespace dprof {
namespace {

constexpr uint32_t most_words = 1 << 20;
constexpr uint32_t most_blocks = 1 << 24; // of all records: their state has to fit into memory

template <typename Entry> bool table_inside(const dprof_unit_header &header, uint32_t offset, uint32_t count) {
  return offset <= header.size_bytes && (uint64_t)count * sizeof(Entry) <= header.size_bytes - offset;
}

bool plausible(const dprof_unit_header &header, size_t left) {
  return header.magic == DPROF_UNIT_MAGIC && header.version == DPROF_UNIT_VERSION && header.size_bytes >= sizeof header &&
         header.size_bytes % 16 == 0 && header.size_bytes <= left &&
         table_inside<dprof_slot>(header, header.slots_offset, header.slots_count) &&
         table_inside<dprof_variable>(header, header.variables_offset, header.variables_count) &&
         table_inside<dprof_record>(header, header.records_offset, header.records_count);
}

uint8_t stamp_event_of(uint8_t slot_kind) {
  switch (slot_kind) {
  case DPROF_SLOT_ATOMIC_LOAD: return DPROF_EVENT_ACQUIRE;
  case DPROF_SLOT_ATOMIC_STORE: case DPROF_SLOT_ATOMIC_UPDATE: return DPROF_EVENT_RELEASE;
  case DPROF_SLOT_ATOMIC_RESULT: return DPROF_EVENT_BOTH;
  default: return 0;
  }
}

} // namespace

bool RecordTable::add_unit(const uint8_t *bytes, const dprof_unit_header &header, uint64_t address) {
  Unit unit = {};
  unit.begin = address;
  unit.end = address + header.size_bytes;
  unit.records_begin = address + header.records_offset;
  unit.records_bytes = (uint64_t)header.records_count * sizeof(dprof_record);
  unit.variables_begin = address + header.variables_offset;
  unit.variables_count = header.variables_count;
  unit.first_record = count();
  unit.number = unit_count_++;
  for (uint32_t i = 0; i < header.records_count; i++) {
    dprof_record record;
    memcpy(&record, bytes + header.records_offset + i * sizeof record, sizeof record);
    RecordInfo info = {};
    info.header = unit.records_begin + i * sizeof record;
    info.tag = record.tag;
    info.words = info.coded_words = record.words;
    info.first_block = blocks_;
    info.valid = record.words <= most_words && (record.words + 3) / 4 <= most_blocks - blocks_;
    if (record.flags & DPROF_RECORD_STAMPED) {
      uint64_t last = (uint64_t)record.first_slot + record.slot_count - 1;
      if (record.words >= 2 && record.slot_count && last < header.slots_count) {
        dprof_slot slot;
        memcpy(&slot, bytes + header.slots_offset + last * sizeof slot, sizeof slot);
        info.stamp_event = stamp_event_of(slot.kind);
      }
      info.coded_words--;
      if (!info.stamp_event) info.valid = false;
    }
    if (info.valid) blocks_ += (info.coded_words + 3) / 4;
    records_.push_back(info);
  }
  auto overlaps = [&](const Unit &other) { return other.begin < unit.end && unit.begin < other.end; };
  units_.erase(std::remove_if(units_.begin(), units_.end(), overlaps), units_.end());
  units_.insert(std::lower_bound(units_.begin(), units_.end(), unit, [](const Unit &a, const Unit &b) { return a.begin < b.begin; }), unit);
  return true;
}

bool RecordTable::add_module(const uint8_t *units, size_t bytes, uint64_t address) {
  for (int pass = 0; pass < 2; pass++) { // look at all, then add all
    for (size_t at = 0; at + 16 <= bytes;) {
      dprof_unit_header header = {};
      memcpy(&header, units + at, std::min(sizeof header, bytes - at));
      if (header.magic == 0) { // the linker's padding
        at += 16;
        continue;
      }
      if (!plausible(header, bytes - at)) return false;
      if (pass == 1) add_unit(units + at, header, address + at);
      at += header.size_bytes;
    }
  }
  return true;
}

const RecordTable::Unit *RecordTable::unit_at(uint64_t address) const {
  auto after = std::upper_bound(units_.begin(), units_.end(), address, [](uint64_t a, const Unit &unit) { return a < unit.begin; });
  if (after == units_.begin() || address >= after[-1].end) return nullptr;
  return &after[-1];
}

uint32_t RecordTable::search(uint64_t header) const {
  const Unit *unit = unit_at(header);
  if (!unit || header - unit->records_begin >= unit->records_bytes) return no_record;
  last_ = (size_t)(unit - units_.data());
  return number_in(*unit, header);
}

bool RecordTable::find_variable(uint64_t address, VariableName *name) const {
  const Unit *unit = unit_at(address);
  if (!unit || address < unit->variables_begin) return false;
  uint64_t offset = address - unit->variables_begin;
  if (offset % sizeof(dprof_variable) || offset / sizeof(dprof_variable) >= unit->variables_count) return false;
  *name = {unit->number, (uint32_t)(offset / sizeof(dprof_variable))};
  return true;
}

} // namespace dprof
