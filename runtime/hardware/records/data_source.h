// Stage: hardware. perf_mem_data_src from its parts. The bits are linux/perf_event.h's; `levels`, `tlb` and so on are
// sums of PERF_MEM_*.
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>

namespace dprof {

struct DataSourceParts {
  uint64_t operation = 0, level = 0, level_number = 0, remote = 0, hops = 0, snoop = 0, peer = 0, tlb = 0, lock = 0;
};

inline uint64_t join(const DataSourceParts &parts) {
  return parts.operation << PERF_MEM_OP_SHIFT | parts.level << PERF_MEM_LVL_SHIFT |
         parts.level_number << PERF_MEM_LVLNUM_SHIFT | parts.remote << PERF_MEM_REMOTE_SHIFT |
         parts.hops << PERF_MEM_HOPS_SHIFT | parts.snoop << PERF_MEM_SNOOP_SHIFT | parts.peer << PERF_MEM_SNOOPX_SHIFT |
         parts.tlb << PERF_MEM_TLB_SHIFT | parts.lock << PERF_MEM_LOCK_SHIFT;
}

} // namespace dprof
