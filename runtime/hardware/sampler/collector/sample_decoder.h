// Stage: sampler. PERF_RECORD_SAMPLE -> Sample, as src/hardware/import/sample-decoder.ts decodes recordings; a test
// holds the two equal.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "../../records/ibs_op.h"
#include "../../records/sample.h"
#include "event_sources.h"

namespace dprof {

// Reads which event's sample a record is: PERF_SAMPLE_IDENTIFIER stands first. False: the record is too short for it.
bool read_identifier(const uint8_t *record, size_t bytes, uint64_t *identifier);

// `record` is whole, with its header; `fields` are the event's sample_type. False: the record is shorter than its
// fields.
bool decode_sample(const uint8_t *record, size_t bytes, uint64_t fields, Origin origin, const AmdModel &cpu,
                   Sample *sample);

} // namespace dprof
