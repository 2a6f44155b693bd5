// Stage: trace -> replay. The file: chunk payloads by position, columns unpacked into reused buffers.
#pragma once

#include <string>
#include <vector>

#include "trace/event.h"

namespace dprof {

class LiveSource;

class TraceFile {
public:
  explicit TraceFile(const std::string &path);
  explicit TraceFile(const LiveSource &live) : live_(&live) {}
  ~TraceFile();
  TraceFile(const TraceFile &) = delete;
  TraceFile &operator=(const TraceFile &) = delete;
  void read(uint64_t offset, void *into, size_t bytes) const;
  /// If it is a live trace.
  const LiveSource *live() const { return live_; }

private:
  int descriptor_ = -1;
  const LiveSource *live_ = nullptr;
};

struct ChunkHead {
  uint32_t steps, events;
};

/// Unpacks columns `first` to 2 of the EVENTS chunk whose payload lies at `offset`; the others are only stepped over.
struct ChunkColumns {
  ChunkHead load(const TraceFile &file, uint64_t offset, uint32_t bytes, unsigned first);
  Cursor cursor[3];

private:
  std::vector<uint8_t> raw_[3];
};

} // namespace dprof
