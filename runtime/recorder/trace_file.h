// Stage: recorder. Chunks -> FILE.incomplete, which becomes FILE when it is whole. One thread at a time, but for `error`.
#pragma once

#include <stdint.h>

#include <atomic>
#include <string>
#include <vector>

#include "bytes.h"
#include "dprof/trace_format.h"

namespace dprof {

class TraceFile {
public:
  TraceFile() = default;
  ~TraceFile();
  TraceFile(const TraceFile &) = delete;
  TraceFile &operator=(const TraceFile &) = delete;

  // 0, or the errno of what went wrong.
  int create(const std::string &path);
  void write_header(dprof_trace_header header);
  void write_chunk(dprof_chunk_kind kind, uint32_t thread, uint32_t sequence, const Bytes &payload);
  // Whole: all chunks are there. What could be written stays, cut after the last whole chunk.
  void finish();
  void remove();

  // The errno of the write that failed; nothing is written after it.
  int error() const { return error_; }
  const std::string &path() const { return path_; }

private:
  void write_all(const void *bytes, size_t count);

  std::string path_, incomplete_;
  int fd_ = -1;
  std::atomic<int> error_ = 0;
  uint64_t whole_bytes_ = 0;
};

} // namespace dprof
