// Stage: recorder. The destination of one process image's trace: it gets chunks, in order, from one thread at a time
// (except `error`).
#pragma once

#include <stdint.h>

#include <atomic>
#include <string>

#include "bytes.h"
#include "dprof/trace_format.h"

namespace dprof {

class Sink {
public:
  Sink() = default;
  virtual ~Sink() = default;
  Sink(const Sink &) = delete;
  Sink &operator=(const Sink &) = delete;

  virtual void write_header(const dprof_trace_header &header) = 0;
  virtual void write_chunk(dprof_chunk_kind kind, uint32_t thread, uint32_t sequence, const Bytes &payload) = 0;
  // Writes the END chunk; after an error too, as far as possible.
  virtual void write_end(const Bytes &json) = 0;
  // All chunks were given. The part that could be written stays.
  virtual void finish() = 0;
  // Removes the trace: nothing in it was worth keeping.
  virtual void remove() = 0;

  // The errno of the write that failed; only END is written after it.
  int error() const { return error_; }
  // The destination's name, for people.
  const std::string &name() const { return name_; }
  // The name, without its folder, of the file that other traces of this recording can point to; empty: there is none.
  virtual std::string file_name() const { return ""; }

protected:
  std::string name_;
  std::atomic<int> error_ = 0;
};

// Header and chunks as they stand in a trace.
dprof_trace_header finished_header(dprof_trace_header header);
dprof_chunk_header chunk_header(dprof_chunk_kind kind, uint32_t thread, uint32_t sequence, const Bytes &payload);

// Writes the rest of the bytes until an error: 0, or the errno. `*bytes` and `*count` move past the written part.
int write_rest(int fd, const char **bytes, size_t *count);

} // namespace dprof
