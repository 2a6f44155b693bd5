// Stage: sampler. What is known of a run beside its samples -> the JSON of a samples file's tables, as
// src/hardware/samples/samples.ts declares them.
#pragma once

#include <string>
#include <vector>

#include "event_sources.h"
#include "process_events.h"
#include "processor.h"
#include "sampling.h"

namespace dprof {

std::string describe_run(const Processor &processor, char **command);
std::string describe_events(const std::vector<EventSource> &sources, const std::vector<uint64_t> &samples);
std::string describe_losses(const SampleLosses &losses);
std::string describe_names(const ProcessEvents &processes);
std::string describe_changes(const ProcessEvents &processes);

} // namespace dprof
