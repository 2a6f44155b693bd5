// Stage: trace -> replay. A RAW chunk of a live trace (dprof/live_trace.h): its words as they stand, and its events.
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
  /// Words that may be read behind the end.
  static constexpr size_t SLACK = 8;

private:
  uint64_t offset_ = 0; // of the payload
  std::vector<uint64_t> payload_;
};

} // namespace dprof
