// Stage: hardware. Records of Arm's SPE -> samples of loads and stores.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <string>
#include <vector>

#include "spe_packets.h"

namespace dprof {

struct SpeSample {
  uint64_t ip, address, physical_address;
  uint64_t timestamp;   // of the processor's counter; 0: unknown
  uint64_t data_source; // perf_mem_data_src
  uint32_t latency;     // cycles
  int64_t thread;       // that the record itself names; -1: none
};

struct SpeBuffer {
  std::vector<SpeSample> samples;
  uint64_t others = 0; // records of branches and other operations
  SpeOutcome outcome;
};

// `midr`: MIDR_EL1 in hexadecimal. Whether the core numbers the sources of its data as Arm's own cores do.
bool numbers_sources(const std::string &midr);

// `bytes`: a whole buffer; records do not go on in the next one.
SpeBuffer read_spe_buffer(const uint8_t *data, size_t bytes, bool has_source_numbers);

} // namespace dprof
