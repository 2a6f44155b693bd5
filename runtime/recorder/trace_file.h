// Stage: recorder. Chunks -> FILE.incomplete, which becomes FILE when it is whole.
#pragma once

#include "sink.h"

namespace dprof {

class TraceFile : public Sink {
public:
  ~TraceFile() override;

  // 0, or the errno of the failure.
  int create(const std::string &path);
  void write_header(const dprof_trace_header &header) override;
  void write_chunk(dprof_chunk_kind kind, uint32_t thread, uint32_t sequence, const Bytes &payload) override;
  // After an error, END replaces the chunk that could not be written whole.
  void write_end(const Bytes &json) override;
  void finish() override;
  void remove() override;
  std::string file_name() const override { return name_.substr(name_.rfind('/') + 1); }

private:
  void write_all(const void *bytes, size_t count);

  std::string target_, incomplete_; // the file that becomes the trace, at first under another name
  int fd_ = -1;
  uint64_t whole_bytes_ = 0;
};

} // namespace dprof
