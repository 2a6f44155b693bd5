// Stage: tests of the sampler. The facts of a samples file about a run of which nothing else is known.
#pragma once

#include <stdint.h>

#include "../collector/sampled_program.h"

namespace dprof {

SampleFacts plain_facts(uint64_t samples);

} // namespace dprof
