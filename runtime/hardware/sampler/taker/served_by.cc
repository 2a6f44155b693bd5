// Stage: sampler. The level number if there is one, else the mask of levels; docs/hardware-samples.md has the table.
#include "served_by.h"

#include <linux/perf_event.h>

namespace dprof {
namespace {

enum Served : uint8_t {
  unknown,
  l1,
  fill_buffer,
  l2,
  l3,
  other_cache,
  remote_cache,
  memory,
  remote_memory,
  io,
  uncached,
  past_l1,
  past_l2,
  past_l3
};

// Numbers that older headers do not have.
enum LevelNumber {
  number_l1 = 1,
  number_l2,
  number_l3,
  number_l4,
  number_l2_miss_buffer,
  number_memory_side_cache,
  number_l0,
  number_uncached,
  number_cxl,
  number_io,
  number_any_cache,
  number_lfb,
  number_ram,
  number_pmem
};
constexpr unsigned snoop_forward = 1, snoop_peer = 2; // of snoopx

Served cache_of(bool is_far) { return is_far ? remote_cache : other_cache; }

Served past_level(unsigned level) {
  if (level & PERF_MEM_LVL_L3) return past_l3;
  if (level & PERF_MEM_LVL_L2) return past_l2;
  return level & PERF_MEM_LVL_L1 ? past_l1 : unknown;
}

Served by_mask(unsigned level, bool is_from_core, bool is_far) {
  if (level & PERF_MEM_LVL_L1) return l1;
  if (level & PERF_MEM_LVL_LFB) return fill_buffer;
  if (level & PERF_MEM_LVL_L2) return is_from_core ? other_cache : l2;
  if (level & PERF_MEM_LVL_L3) return is_from_core ? other_cache : l3;
  if (level & (PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2)) return remote_cache;
  if (level & PERF_MEM_LVL_LOC_RAM) return memory;
  if (level & (PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2)) return remote_memory;
  if (level & PERF_MEM_LVL_IO) return io;
  if (level & PERF_MEM_LVL_UNC) return uncached;
  return is_from_core ? cache_of(is_far) : unknown;
}

} // namespace

uint8_t served_by(uint64_t data_source) {
  perf_mem_data_src source;
  source.val = data_source;
  const unsigned level = source.mem_lvl;
  if ((source.mem_op & ~PERF_MEM_OP_NA) == 0) return unknown;
  if (level & PERF_MEM_LVL_MISS) return past_level(level);
  const bool is_from_core = source.mem_snoop & PERF_MEM_SNOOP_HITM || source.mem_snoopx & (snoop_forward | snoop_peer);
  const bool is_remote = source.mem_remote,
             is_far = is_remote && source.mem_hops != 1; // hop 0 is another core of the same node
  switch (source.mem_lvl_num) {
    case number_l0:
    case number_l1: return l1;
    case number_lfb: return fill_buffer;
    case number_l2:
    case number_l2_miss_buffer: return is_from_core || is_remote ? cache_of(is_far) : l2;
    case number_l3:
    case number_l4: return is_from_core || is_remote ? cache_of(is_far) : l3;
    case number_any_cache:
      return level & PERF_MEM_LVL_L3 && !is_from_core && !is_far
                 ? l3
                 : cache_of(is_far); // IBS before Zen 4: an L3, or a cache on the same node
    case number_ram:
    case number_cxl:
    case number_pmem:
    case number_memory_side_cache: return is_far ? remote_memory : memory;
    case number_io: return io;
    case number_uncached: return uncached;
    default: return by_mask(level, is_from_core, is_far);
  }
}

} // namespace dprof
