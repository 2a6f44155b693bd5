// Stage: sampler. Records of Arm's SPE -> samples of loads and stores, as src/hardware/import/spe-samples.ts does; a
// test holds the two equal.
#pragma once

#include <string>

#include "sample.h"
#include "spe_packets.h"

namespace dprof {

// Of MIDR_EL1 in hexadecimal: whether the core numbers what supplied the bytes as Arm's own do.
bool numbers_sources(const std::string &midr);

// False: neither a load nor a store. Time, process, thread, processor and event are left to the caller, but for the
// thread that the record itself names.
bool decode_spe_record(const SpeRecord &record, bool has_source_numbers, Sample *sample);

} // namespace dprof
