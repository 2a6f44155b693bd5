// Stage: trace -> blocks. How often each record was made, in no order: docs/blocks.md, "How often". The same numbers as
// src/blocks/record-executions.ts.
#pragma once

#include "trace/input.h"

namespace dprof {

/// By record, over all threads.
std::vector<uint64_t> countExecutions(const Input &input);

} // namespace dprof
