// Stage: trace -> replay. A path that a thread takes again and again over the same addresses. If all its lines are hit,
// all of it is one entry among a batch's references; its slot then says which path it is (joined_runs.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "batch/reference.h"

namespace dprof {

struct SteadyPath {
  /// As if the path were not one entry.
  std::vector<Reference> references;
  std::vector<uint32_t> before; // by reference, if the flow is wanted: instructions since the path began
};

/// From a batch on, the slot stands for this path. A path that nobody takes any more leaves its slot to another.
struct SteadySlot {
  uint32_t slot;
  std::shared_ptr<const SteadyPath> path;
};

} // namespace dprof
