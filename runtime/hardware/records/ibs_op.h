// Stage: hardware. AMD's IBS op record, the registers in a sample's raw data -> address, latency and data source.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace dprof {

// The processor's model; 0 if it is not AMD's.
struct AmdModel {
  unsigned family = 0, model = 0;
};

struct IbsOp {
  bool has_address, has_physical_address;
  uint64_t address, physical_address;
  uint16_t miss_latency;   // cycles; 0 for a hit, and for a store
  uint16_t retire_latency; // from the tag to retirement
  uint8_t access_bytes;    // 0: unknown
  uint64_t data_source;
};

// `raw`: a sample's raw data. False: not valid.
bool decode_ibs_op(const uint8_t *raw, size_t bytes, const AmdModel &cpu, IbsOp *op);

} // namespace dprof
