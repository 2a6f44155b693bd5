// Stage: hardware. Spells levels as perf does: by source codes for cores whose codes are known, by the events that
// every SPE has for others.
#include "spe_samples.h"

#include <stdlib.h>

#include <algorithm>
#include <iterator>

#include "data_source.h"

namespace dprof {
namespace {

constexpr uint64_t arm = 0x41;
constexpr uint64_t known_parts[] = {0xd0c, 0xd40, 0xd49, 0xd4f, 0xd4c, 0xd4e, 0xd81, 0xd85, 0xd87};
constexpr uint32_t l1_access = 1 << 2, l1_refill = 1 << 3, tlb_access = 1 << 4, tlb_walk = 1 << 5, last_access = 1 << 8,
                   last_miss = 1 << 9, remote_access = 1 << 10;

DataSourceParts by_source(int32_t source) {
  switch (std::max(source, 0)) {
    case 0x0:
      return {.level = PERF_MEM_LVL_L1 | PERF_MEM_LVL_HIT,
              .level_number = PERF_MEM_LVLNUM_L1,
              .snoop = PERF_MEM_SNOOP_NONE};
    case 0x8:
      return {.level = PERF_MEM_LVL_L2 | PERF_MEM_LVL_HIT,
              .level_number = PERF_MEM_LVLNUM_L2,
              .snoop = PERF_MEM_SNOOP_NONE};
    case 0x9:
      return {.level = PERF_MEM_LVL_L2 | PERF_MEM_LVL_HIT,
              .level_number = PERF_MEM_LVLNUM_L2,
              .peer = PERF_MEM_SNOOPX_PEER};
    case 0xa:
    case 0xc:
      return {.level = PERF_MEM_LVL_L3 | PERF_MEM_LVL_HIT,
              .level_number = PERF_MEM_LVLNUM_L3,
              .peer = PERF_MEM_SNOOPX_PEER};
    case 0xb:
      return {
          .level = PERF_MEM_LVL_L3 | PERF_MEM_LVL_HIT, .level_number = PERF_MEM_LVLNUM_L3, .snoop = PERF_MEM_SNOOP_HIT};
    case 0xd:
      return {.level = PERF_MEM_LVL_REM_CCE1,
              .level_number = PERF_MEM_LVLNUM_ANY_CACHE,
              .remote = 1,
              .peer = PERF_MEM_SNOOPX_PEER};
    case 0xe:
      return {.level = PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_HIT,
              .level_number = PERF_MEM_LVLNUM_RAM,
              .snoop = PERF_MEM_SNOOP_NONE};
    default: return {};
  }
}

DataSourceParts by_events(uint32_t events) {
  const uint64_t remote = events & remote_access ? PERF_MEM_LVL_REM_CCE1 : 0;
  auto outcome = [&](uint64_t level, uint32_t miss) {
    return level | (events & miss ? PERF_MEM_LVL_MISS : PERF_MEM_LVL_HIT) | remote;
  };
  if (events & (last_access | last_miss)) return {.level = outcome(PERF_MEM_LVL_L3, last_miss)};
  if (events & (l1_access | l1_refill)) return {.level = outcome(PERF_MEM_LVL_L1, l1_refill)};
  return {.level = remote};
}

uint64_t data_source_of(const SpeRecord &record, bool has_source_numbers) {
  const bool is_store = record.operation & spe_store;
  const DataSourceParts not_said = {
      .level = PERF_MEM_LVL_NA, .level_number = PERF_MEM_LVLNUM_NA, .snoop = PERF_MEM_SNOOP_NA};
  DataSourceParts parts = !has_source_numbers ? by_events(record.events)
                          : is_store          ? not_said
                                              : by_source(record.source);
  parts.operation = record.operation & spe_load ? (uint64_t)PERF_MEM_OP_LOAD : PERF_MEM_OP_STORE;
  if (record.events & (tlb_access | tlb_walk))
    parts.tlb = PERF_MEM_TLB_WK | (record.events & tlb_walk ? PERF_MEM_TLB_MISS : PERF_MEM_TLB_HIT);
  return join(parts);
}

} // namespace

bool numbers_sources(const std::string &text) {
  if (text.rfind("0x", 0) != 0) return false;
  const uint64_t midr = strtoull(text.c_str(), nullptr, 16) & 0xffffffff;
  return midr >> 24 == arm &&
         std::find(std::begin(known_parts), std::end(known_parts), midr >> 4 & 0xfff) != std::end(known_parts);
}

SpeBuffer read_spe_buffer(const uint8_t *data, size_t bytes, bool has_source_numbers) {
  SpeBuffer buffer;
  buffer.outcome = read_spe_records(data, bytes, [&](const SpeRecord &record) {
    if (!(record.operation & (spe_load | spe_store))) {
      buffer.others++;
      return;
    }
    buffer.samples.push_back({.ip = record.ip,
                              .address = record.address,
                              .physical_address = record.physical_address,
                              .timestamp = record.timestamp,
                              .data_source = data_source_of(record, has_source_numbers),
                              .latency = record.latency,
                              .thread = record.context});
  });
  return buffer;
}

} // namespace dprof
