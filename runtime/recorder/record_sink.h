// Stage: recorder. Sinks that take decoded records (dprof/sink.h): shared objects of users, and text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "destination.h"
#include "dprof/sink.h"
#include "sink.h"

namespace dprof {

class RecordSink : public Sink {
public:
  RecordSink(const dprof_sink_functions &functions, void *library, const std::string &argument,
             const std::string &name);
  ~RecordSink() override;

  // False: it refuses.
  bool begin(const dprof_sink_process &process);
  // To be called on the writer's thread.
  void take_module(const dprof_sink_module &module);
  void take_records(const std::vector<dprof_sink_record> &records);

  void write_header(const dprof_trace_header &) override {}
  void write_chunk(dprof_chunk_kind, uint32_t, uint32_t, const Bytes &) override {}
  void write_end(const Bytes &json) override;
  void finish() override {}
  void remove() override { write_end({}); }

private:
  const dprof_sink_functions &functions_;
  void *library_;
  std::string argument_;
  void *sink_ = nullptr;
  std::vector<dprof_sink_record> allocations_;
};

std::unique_ptr<Sink> open_plugin(const std::string &path, const std::string &argument, Failure *failure);
// `path` empty: standard output.
std::unique_ptr<Sink> open_text(const std::string &path, Failure *failure);
extern const dprof_sink_functions text_sink;

} // namespace dprof
