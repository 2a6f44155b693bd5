// Stage: hardware. Arm Architecture Reference Manual, "Statistical Profiling Extension sample record specification".
// Sizes are in bits 4 and 5 of a header.
#include "spe_packets.h"

#include <string.h>

namespace dprof {
namespace {

constexpr uint8_t padding = 0x00, end_packet = 0x01, timestamp = 0x71;

bool is_long(uint8_t header) { return (header & 0xc8) == 0x80 || (header & 0xc8) == 0x88; } // addresses, counters

bool is_packet(uint8_t header, size_t header_bytes) {
  if (header_bytes == 2) return is_long(header);
  return is_long(header) || header == timestamp || (header & 0xcf) == 0x42 || (header & 0xcf) == 0x43 ||
         (header & 0xcc) == 0x44 || (header & 0xcc) == 0x48;
}

// 0: other; 1: loads, stores and atomics, a store by its lowest bit; 2: branches.
uint32_t operation_of(unsigned kind, uint64_t payload) {
  if (kind == 1) return payload & 1 ? spe_store : spe_load;
  return kind == 2 ? spe_branch : spe_other;
}

// The top byte is not part of the address: for an instruction it has exception level and security state, for data a
// tag; for kernel addresses it is all ones.
void take_address(SpeRecord *record, unsigned index, uint64_t payload) {
  constexpr uint64_t top_byte = 0xffull << 56;
  const uint64_t address = payload & ~top_byte;
  const unsigned level = payload >> 61 & 3;
  if (index == 0)
    record->ip = payload >> 63 && (level == 1 || level == 2) ? address | top_byte : address;
  else if (index == 2)
    record->address = (address >> 52 & 15) == 15 ? address | top_byte : address;
  else if (index == 3)
    record->physical_address = address;
}

void take(SpeRecord *record, uint8_t header, unsigned index, uint64_t payload) {
  const uint32_t low = (uint32_t)payload;
  if (header == timestamp)
    record->timestamp = payload;
  else if ((header & 0xcf) == 0x42)
    record->events = low;
  else if ((header & 0xcf) == 0x43)
    record->source = low & 0xffff;
  else if ((header & 0xcc) == 0x44)
    record->context = low;
  else if ((header & 0xcc) == 0x48)
    record->operation |= operation_of(header & 3, low);
  else if ((header & 0xc8) == 0x88)
    record->latency = index == 0 ? low : record->latency;
  else
    take_address(record, index, payload);
}

} // namespace

SpeOutcome read_spe_records(const uint8_t *data, size_t bytes,
                            const std::function<void(const SpeRecord &)> &on_record) {
  SpeOutcome outcome;
  SpeRecord record;
  bool has_begun = false;
  auto close = [&] {
    if (has_begun) on_record(record);
    record = {};
    has_begun = false;
  };
  for (size_t at = 0; at < bytes;) {
    uint8_t header = data[at];
    if (header == padding || header == end_packet) {
      at++;
      if (header == end_packet) close();
      continue;
    }
    // A header of two bytes begins with the high bits of the packet's index.
    unsigned index = 0;
    size_t header_bytes = 1;
    if ((header & 0xfc) == 0x20 && at + 1 < bytes) {
      index = (header & 3u) << 3;
      header_bytes = 2;
      header = data[at + 1];
      if (header == padding) {
        const size_t alignment = (size_t)2 << (data[at] & 15);
        at += alignment - at % alignment;
        continue;
      }
    }
    const size_t size = (size_t)1 << (header >> 4 & 3), payload_at = at + header_bytes;
    if (!is_packet(header, header_bytes) || payload_at + size > bytes) {
      outcome.bad_bytes++;
      at++;
      record = {};
      has_begun = false;
      continue;
    }
    uint64_t payload = 0;
    memcpy(&payload, data + payload_at, size);
    has_begun = true;
    take(&record, header, index | (header & 7u), payload);
    at = payload_at + size;
    if (header == timestamp) close();
  }
  outcome.cut_records = has_begun;
  return outcome;
}

} // namespace dprof
