// Stage: recorder. Chunks -> the same bytes as a file's, into a pipe, socket or device; and nowhere.
#pragma once

#include "sink.h"

namespace dprof {

class TraceStream : public Sink {
public:
  // `most_silence_ms`: a reader that takes nothing for so long is given up; 0: it is waited for.
  TraceStream(int fd, const std::string &name, int most_silence_ms);
  ~TraceStream() override;
  void write_header(const dprof_trace_header &header) override;
  void write_chunk(dprof_chunk_kind kind, uint32_t thread, uint32_t sequence, const Bytes &payload) override;
  void write_end(const Bytes &json) override;
  void finish() override;
  void remove() override { finish(); }

private:
  bool wait_for_reader();
  void write_all(const void *bytes, size_t count);

  int fd_, most_silence_ms_;
};

class NullSink : public Sink {
public:
  NullSink() { name_ = "null"; }
  void write_header(const dprof_trace_header &) override {}
  void write_chunk(dprof_chunk_kind, uint32_t, uint32_t, const Bytes &) override {}
  void write_end(const Bytes &) override {}
  void finish() override {}
  void remove() override {}
};

} // namespace dprof
