// Stage: replay. Threads in the order of a number: the smallest first, equal ones by thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "order/thread_run.h"

namespace dprof {

struct Turn {
  uint64_t when;
  uint32_t index; // of the threads with steps, in thread order
  bool operator>(const Turn &other) const { return when != other.when ? when > other.when : index > other.index; }
};
using Turns = std::priority_queue<Turn, std::vector<Turn>, std::greater<Turn>>;

inline uint64_t passed(const std::vector<std::unique_ptr<ThreadRun>> &threads) {
  uint64_t all = 0;
  for (const auto &thread : threads) all += thread->passed();
  return all;
}

} // namespace dprof
