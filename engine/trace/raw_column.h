// Stage: trace -> replay. A RAW chunk of a live trace (dprof/live_trace.h): its words where the recorder left them, and
// its events.
#pragma once

#include <string>
#include <vector>

#include "trace/column.h"

namespace dprof {

class RawColumn {
public:
  /// Reads the chunk whose payload lies at `offset`; `events`: its events column.
  ChunkHead load(const TraceFile &file, uint64_t offset, uint32_t bytes, Cursor &events);
  [[noreturn]] void fail(const std::string &expected, const std::string &actual) const;
  /// After the last step: nothing may be left.
  void close() const;

  const uint64_t *at = nullptr, *end = nullptr;

private:
  uint64_t offset_ = 0; // of the payload
  const uint64_t *begin_ = nullptr;
  std::vector<uint8_t> events_;
};

} // namespace dprof
