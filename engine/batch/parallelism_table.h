// Stage: replay. How parallel a replay was: counts of its first stage that are a part of the result.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace dprof {

/// As ParallelismTable of src/contract/parallelism.ts.
struct ParallelismTable {
  static constexpr uint32_t CAUSES = 18, ALLOCATION = 16, BLOCKED = 17;
  std::vector<uint64_t> running;
  std::array<uint64_t, CAUSES> waits = {}, waited = {};
  uint64_t renamedBlocks = 0, renamedStacks = 0;
  bool isOfSeveralThreads = false;
};

} // namespace dprof
