// Stage: hardware. Derives address, latency and data source as the kernel does since Linux 6.2. Bits are those of AMD's
// Processor Programming Reference, "IBS Op Data".
#include "ibs_op.h"

#include <string.h>

#include "data_source.h"

namespace dprof {
namespace {

// Numbers that older headers do not have.
constexpr uint64_t number_uncached = 8, number_cxl = 9, number_io = 10;

// Capabilities (4), then control, instruction, data, data 2, data 3, linear and physical address (8 each).
constexpr size_t capabilities_at = 0, control_at = 4, data_at = 20, data2_at = 28, data3_at = 36, linear_at = 44,
                 physical_at = 52, record_bytes = 60;
constexpr uint32_t capability_zen4 = 1u << 11, control_valid = 1u << 18;
constexpr uint32_t is_load = 1, is_store = 2, l1_tlb_miss = 4, l2_tlb_miss = 8, missed = 0x80, uncached = 0x4000,
                   locked = 0x8000, no_buffer = 0x10000, linear_valid = 0x20000, physical_valid = 0x40000,
                   l2_missed = 0x100000, prefetch = 0x200000;

// The source that supplied the data, by number.
enum Zen4Source {
  zen4_local = 1,
  zen4_near = 2,
  zen4_memory = 3,
  zen4_far = 5,
  zen4_persistent = 6,
  zen4_io = 7,
  zen4_extension = 8
};
enum OldSource { old_local = 2, old_memory = 3, old_remote = 4, old_io = 7 };

struct Served {
  uint64_t level, number, remote = 0, hops = 0; // hops: one more than those
};
constexpr Served not_said = {PERF_MEM_LVL_NA, PERF_MEM_LVLNUM_NA};

template <typename T> T read_at(const uint8_t *raw, size_t at) {
  T value;
  memcpy(&value, raw + at, sizeof value);
  return value;
}

bool find_zen4(uint32_t source, Served *served) {
  switch (source) {
    case zen4_local: *served = {PERF_MEM_LVL_L3 | PERF_MEM_LVL_HIT, PERF_MEM_LVLNUM_L3}; return true;
    case zen4_near: *served = {PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_HIT, PERF_MEM_LVLNUM_ANY_CACHE, 1, 1}; return true;
    case zen4_memory: *served = {PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_HIT, PERF_MEM_LVLNUM_RAM}; return true;
    case zen4_far: *served = {PERF_MEM_LVL_REM_CCE2 | PERF_MEM_LVL_HIT, PERF_MEM_LVLNUM_ANY_CACHE, 1, 2}; return true;
    case zen4_persistent: *served = {0, PERF_MEM_LVLNUM_PMEM}; return true;
    case zen4_io: *served = {PERF_MEM_LVL_IO | PERF_MEM_LVL_HIT, number_io}; return true;
    case zen4_extension: *served = {0, number_cxl}; return true;
    default: return false;
  }
}

bool find_old(uint32_t source, Served *served) {
  switch (source) {
    case old_local:
      *served = {PERF_MEM_LVL_L3 | PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_HIT, PERF_MEM_LVLNUM_ANY_CACHE, 0, 1};
      return true;
    case old_memory: *served = {PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_HIT, PERF_MEM_LVLNUM_RAM}; return true;
    case old_remote: *served = {PERF_MEM_LVL_REM_CCE2 | PERF_MEM_LVL_HIT, PERF_MEM_LVLNUM_ANY_CACHE, 1, 2}; return true;
    case old_io: *served = {PERF_MEM_LVL_IO | PERF_MEM_LVL_HIT, number_io}; return true;
    default: return false;
  }
}

struct Registers {
  uint32_t data3, data2, source;
  bool is_zen4, mistrusts_data2;
  AmdModel cpu;
};

Served served_by(const Registers &is) {
  if ((is.data3 & uncached) && is.source != zen4_io) return {PERF_MEM_LVL_UNC | PERF_MEM_LVL_HIT, number_uncached};
  if (!(is.data3 & missed)) return {PERF_MEM_LVL_L1 | PERF_MEM_LVL_HIT, PERF_MEM_LVLNUM_L1};
  if (!(is.data3 & l2_missed) && !is.mistrusts_data2) return {PERF_MEM_LVL_L2 | PERF_MEM_LVL_HIT, PERF_MEM_LVLNUM_L2};
  Served served;
  if ((is.data3 & is_load) && (is.is_zen4 ? find_zen4(is.source, &served) : find_old(is.source, &served))) {
    if (!(is.data2 & 0x10)) return served;
    if (served.number == PERF_MEM_LVLNUM_RAM)
      return {PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_HIT, PERF_MEM_LVLNUM_RAM, 1, 2};
    if (served.number == PERF_MEM_LVLNUM_PMEM || served.number == number_cxl)
      return {served.level, served.number, 1, 2};
    return served;
  }
  if (is.data3 & no_buffer) return {PERF_MEM_LVL_LFB | PERF_MEM_LVL_HIT, PERF_MEM_LVLNUM_LFB};
  return not_said;
}

// The bit is 0 of a modified line; some models of family 19h do not say.
bool is_hit_modified(const Registers &is, uint64_t level) {
  const auto &[family, model] = is.cpu;
  if (family == 0x19 && (model <= 0xf || (model >= 0x20 && model <= 0x5f))) return false;
  if (!(is.data3 & is_load) || (level & (PERF_MEM_LVL_L1 | PERF_MEM_LVL_L2)) || (is.data2 & 0x20)) return false;
  return is.is_zen4 ? is.source == zen4_local || is.source == zen4_near || is.source == zen4_far
                    : is.source == old_local;
}

uint64_t tlb_of(uint32_t data3) {
  if (!(data3 & linear_valid)) return PERF_MEM_TLB_NA;
  if (!(data3 & l1_tlb_miss)) return PERF_MEM_TLB_L1 | PERF_MEM_TLB_HIT;
  return PERF_MEM_TLB_L2 | (data3 & l2_tlb_miss ? PERF_MEM_TLB_MISS : PERF_MEM_TLB_HIT);
}

uint64_t derive(const Registers &is) {
  DataSourceParts parts;
  if (!(is.data3 & (is_load | is_store))) {
    parts = {.operation = PERF_MEM_OP_NA,
             .level = PERF_MEM_LVL_NA,
             .snoop = PERF_MEM_SNOOP_NA,
             .tlb = PERF_MEM_TLB_NA,
             .lock = PERF_MEM_LOCK_NA};
    return join(parts);
  }
  const Served served = served_by(is);
  parts = {.operation = is.data3 & is_load ? (uint64_t)PERF_MEM_OP_LOAD : PERF_MEM_OP_STORE,
           .level = served.level,
           .level_number = served.number,
           .remote = served.remote,
           .hops = served.hops,
           .snoop = is_hit_modified(is, served.level) ? (uint64_t)PERF_MEM_SNOOP_HITM : PERF_MEM_SNOOP_NA,
           .tlb = tlb_of(is.data3),
           .lock = is.data3 & locked ? (uint64_t)PERF_MEM_LOCK_LOCKED : PERF_MEM_LOCK_NA};
  return join(parts);
}

} // namespace

bool decode_ibs_op(const uint8_t *raw, size_t bytes, const AmdModel &cpu, IbsOp *op) {
  if (bytes < record_bytes || !(read_at<uint32_t>(raw, control_at) & control_valid)) return false;
  const uint32_t data3 = read_at<uint32_t>(raw, data3_at);
  const bool mistrusts =
      cpu.family == 0x19 && cpu.model <= 0xf && (data3 & (prefetch | no_buffer)); // erratum 1293 of Zen 3
  const uint32_t data2 = mistrusts ? 0 : read_at<uint32_t>(raw, data2_at);
  const bool is_zen4 = read_at<uint32_t>(raw, capabilities_at) & capability_zen4,
             is_missed_load = (data3 & is_load) && (data3 & missed);
  const uint32_t width = data3 >> 22 & 15;
  *op = {};
  op->has_address = data3 & linear_valid;
  op->has_physical_address = data3 & physical_valid;
  op->address = read_at<uint64_t>(raw, linear_at);
  op->physical_address = read_at<uint64_t>(raw, physical_at);
  op->miss_latency = is_missed_load ? read_at<uint16_t>(raw, data3_at + 4) : 0;
  op->retire_latency = is_missed_load ? read_at<uint16_t>(raw, data_at + 2) : 0;
  op->access_bytes = width == 0 || width > 8 ? 0 : (uint8_t)(1u << (width - 1));
  op->data_source =
      derive({data3, data2, is_zen4 ? (data2 >> 6 & 3) << 3 | (data2 & 7) : data2 & 7, is_zen4, mistrusts, cpu});
  return true;
}

} // namespace dprof
