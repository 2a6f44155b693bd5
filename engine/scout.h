// Stage: replay. Reads a thread's events columns ahead of its issue, so that an acquire knows which releases are still to come.
#pragma once

#include <deque>

#include "column.h"
#include "input.h"

namespace dprof {

class Scout {
public:
  Scout(const TraceFile &file, const ThreadChunks &chunks) : file_(file), chunks_(chunks) {}

  /// Visits events up to and including the first with a stamp of at least `stamp`.
  template <typename Visit> void advance(uint64_t stamp, Visit visit) {
    while (!ended_ && !(any_ && seen_ >= stamp)) {
      Event event;
      if (!next(event)) break;
      if (!hasStamp(event.code)) continue;
      any_ = true;
      seen_ = event.stamp;
      unissued.push_back(event.stamp);
      visit(event);
    }
  }

  std::deque<uint64_t> unissued; // stamps that were seen and not issued

private:
  bool next(Event &event);
  const TraceFile &file_;
  const ThreadChunks &chunks_;
  size_t chunk_ = 0;
  ChunkColumns columns_;
  EventReader events_;
  uint32_t left_ = 0;
  uint64_t seen_ = 0;
  bool any_ = false, ended_ = false;
};

} // namespace dprof
