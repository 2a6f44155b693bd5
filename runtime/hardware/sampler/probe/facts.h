// Stage: tests of the sampler. What a samples file says of a run that nobody else knows anything of.
#pragma once

#include <stdint.h>

#include "../collector/sampled_program.h"

namespace dprof {

SampleFacts plain_facts(uint64_t samples);

} // namespace dprof
