// Stage: sampler. What is known of a run beside its samples -> the JSON of a samples file's tables, as
// src/hardware/samples/samples.ts declares them.
#pragma once

#include <string>
#include <vector>

#include "../../../recorder/json.h"
#include "event_sources.h"
#include "process_events.h"
#include "processor.h"
#include "sampling.h"

namespace dprof {

Json describe_run(const Processor &processor, char **command);
Json describe_events(const std::vector<EventSource> &sources, const std::vector<uint64_t> &samples);
Json describe_losses(const SampleLosses &losses);
Json describe_names(const ProcessEvents &processes);
Json describe_changes(const ProcessEvents &processes);

} // namespace dprof
