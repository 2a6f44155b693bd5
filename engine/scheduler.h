// Stage: replay. The order in which threads issue their steps: docs/replay.md, "Order".
#pragma once

#include "replay.h"

namespace dprof {

template <bool Single> void runInOrder(Replay &replay, std::vector<std::unique_ptr<ThreadRun>> &threads);

} // namespace dprof
