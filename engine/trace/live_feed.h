// Stage: recorder -> replay. Feeds a live trace with bytes of a trace that come from somewhere else, as a recorder
// would: what reads it is the same.
#pragma once

#include <cerrno>

#include "../runtime/recorder/live_writer.h"
#include "base/trace_error.h"
#include "trace/live_source.h"

namespace dprof {

class LiveFeed {
public:
  /// The source outlives it.
  explicit LiveFeed(LiveSource &source) : writer_(source.data(), source.words(), [] { return true; }) {}

  /// Any bytes, the next ones of the trace. Waits for room. False: the reader wants no more.
  bool put(void *bytes, size_t count) {
    iovec part = {bytes, count};
    const int error = writer_.put(&part, 1);
    if (error != 0 && error != ECANCELED)
      throw RoomError(std::string("cannot write shared memory: ") + std::strerror(error));
    return error == 0;
  }

private:
  LiveWriter writer_;
};

} // namespace dprof
