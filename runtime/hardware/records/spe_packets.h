// Stage: hardware. Packets of Arm's Statistical Profiling Extension -> records, one for each sampled operation.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <functional>

namespace dprof {

enum SpeOperation : uint32_t { spe_other = 1, spe_load = 2, spe_store = 4, spe_branch = 8 };

struct SpeRecord {
  uint64_t ip = 0, address = 0, physical_address = 0, timestamp = 0;
  uint32_t events = 0;
  uint32_t operation = 0; // bits of SpeOperation
  int32_t source = -1;    // -1: unknown
  int64_t context = -1;
  uint32_t latency = 0;
};

struct SpeOutcome {
  uint64_t bad_bytes = 0;   // that begin no packet: passed over one by one
  uint64_t cut_records = 0; // without their end
};

// `bytes`: a whole buffer; records do not go on in the next one.
SpeOutcome read_spe_records(const uint8_t *data, size_t bytes, const std::function<void(const SpeRecord &)> &on_record);

} // namespace dprof
