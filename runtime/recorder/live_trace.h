// Stage: recorder. Chunks -> a buffer in shared memory that slides over the trace (dprof/live_trace.h), and to a file
// besides if one is wanted.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <memory>
#include <string>

#include "dprof/live_trace.h"
#include "events_chunk.h"
#include "live_writer.h"
#include "sink.h"

namespace dprof {

class LiveTrace : public Sink {
public:
  // `keep`: takes the same chunks; may be null.
  LiveTrace(int data, dprof_live_control *control, std::unique_ptr<Sink> keep);
  ~LiveTrace() override;
  void write_header(const dprof_trace_header &header) override;
  void write_chunk(dprof_chunk_kind kind, uint32_t thread, uint32_t sequence, const Bytes &payload) override;
  // Waits for a slot.
  void write_raw(uint32_t thread, uint32_t sequence, const EventsChunk &chunk);
  void write_end(const Bytes &json) override;
  void finish() override;
  void remove() override;
  // The reader needs to hear of threads that are asleep.
  bool is_hungry() const { return __atomic_load_n(&control_->hungry, __ATOMIC_RELAXED); }

  // The reader takes RAW chunks; a file would not.
  bool takes_raw() const { return !keep_ && __atomic_load_n(&control_->raw, __ATOMIC_RELAXED); }

private:
  void count_steps(dprof_chunk_kind kind, const Bytes &payload);
  void put(iovec *parts, int count);
  bool reader_lives();

  int data_;
  dprof_live_control *control_;
  std::unique_ptr<Sink> keep_;
  uint64_t raw_written_ = 0; // RAW chunks
  const pid_t reader_;       // the process that started this recorder
  LiveWriter writer_;
};

// "live:DATA,CONTROL", two descriptors -> the same files, which no program inherits. 0, or an errno.
int open_live_trace(const std::string &spelled, int *data, dprof_live_control **control);

} // namespace dprof
