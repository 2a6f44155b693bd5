// Stage: recorder. A thread that packs and writes chunks, so that encoding does not wait for compression and disks. Chunks reach their file
// in the order in which they were put here.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "events_chunk.h"
#include "trace_file.h"

namespace dprof {

class ChunkWriter {
public:
  ChunkWriter() = default;
  ~ChunkWriter();
  ChunkWriter(const ChunkWriter &) = delete;
  ChunkWriter &operator=(const ChunkWriter &) = delete;

  // These wait while too much is waiting. The file must live until `settle` has returned.
  void put(TraceFile &file, dprof_chunk_kind kind, Bytes payload);
  void put(TraceFile &file, uint32_t thread, uint32_t sequence, std::unique_ptr<EventsChunk> events);
  // An EventsChunk whose storage may be used again.
  std::unique_ptr<EventsChunk> spare();
  // Returns when all chunks have been written.
  void settle();

private:
  struct Job {
    TraceFile *file;
    dprof_chunk_kind kind;
    uint32_t thread, sequence;
    Bytes payload;
    std::unique_ptr<EventsChunk> events; // instead of a payload
  };
  void put(Job job);
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_; // the first one is being written
  std::vector<std::unique_ptr<EventsChunk>> spares_;
  bool over_ = false;
  std::thread thread_; // from the first chunk on: nothing has been forked by then but the program
};

} // namespace dprof
