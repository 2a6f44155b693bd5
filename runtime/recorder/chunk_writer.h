// Stage: recorder. A thread that packs and writes chunks, so that encoding does not wait for compression and disks.
// Chunks reach their sink in the order in which they were put here.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "events_chunk.h"
#include "sink.h"

namespace dprof {

class ChunkWriter {
public:
  ChunkWriter() = default;
  ~ChunkWriter();
  ChunkWriter(const ChunkWriter &) = delete;
  ChunkWriter &operator=(const ChunkWriter &) = delete;

  // These wait while too much is waiting. The sink must live until `settle` has returned.
  void put(Sink &sink, dprof_chunk_kind kind, Bytes payload);
  void put(Sink &sink, uint32_t thread, uint32_t sequence, std::unique_ptr<EventsChunk> events);
  // Any other work that has to be done in its turn.
  void put(Sink &sink, std::function<void()> work);
  // An EventsChunk to use again.
  std::unique_ptr<EventsChunk> spare();
  // `put` would wait.
  bool is_full();
  // Returns when all chunks have been written.
  void settle();

private:
  struct Job {
    Sink *sink;
    dprof_chunk_kind kind;
    uint32_t thread, sequence;
    Bytes payload;
    std::unique_ptr<EventsChunk> events; // instead of a payload
    std::function<void()> work;          // instead of a chunk
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
