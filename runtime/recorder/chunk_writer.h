// Stage: recorder. Threads that pack chunks, and one of them that writes them, so that encoding does not wait for
// compression and disks. Chunks reach their sink in the order in which they were put here.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "events_chunk.h"
#include "sink.h"

namespace dprof {

struct ChunkJob {
  ChunkJob(Sink &to, dprof_chunk_kind kind, Bytes payload) : sink(&to), kind(kind), payload(std::move(payload)) {}
  ChunkJob(Sink &to, uint32_t thread, uint32_t sequence, std::unique_ptr<EventsChunk> events)
      : sink(&to), kind(events->restarts ? DPROF_CHUNK_RESTART : DPROF_CHUNK_EVENTS), thread(thread),
        sequence(sequence), events(std::move(events)) {}
  // Any other work that has to be done in its turn.
  ChunkJob(Sink &to, std::function<void()> work) : sink(&to), kind(DPROF_CHUNK_EVENTS), work(std::move(work)) {}

  Sink *sink;
  dprof_chunk_kind kind;
  uint32_t thread = 0, sequence = 0;
  Bytes payload;
  std::unique_ptr<EventsChunk> events; // becomes the payload
  std::function<void()> work;          // instead of a chunk
};

class ChunkWriter {
public:
  // As many threads at most.
  explicit ChunkWriter(unsigned most) : most_(most) {}
  ~ChunkWriter();
  ChunkWriter(const ChunkWriter &) = delete;
  ChunkWriter &operator=(const ChunkWriter &) = delete;

  // Waits while too much is waiting. The sink must live until `settle` has returned.
  void put(ChunkJob job);
  // An EventsChunk to use again.
  std::unique_ptr<EventsChunk> spare();
  // `put` would wait.
  bool is_full();
  // Returns when all chunks have been written.
  void settle();

private:
  enum class State { unpacked, packing, packed };
  struct Waiting {
    ChunkJob job;
    State state;
  };
  size_t most_waiting() const;
  Waiting *next_to_pack();
  bool may_write() const { return !jobs_.empty() && jobs_.front().state == State::packed; }
  void start_threads();
  void run(bool writes);
  void pack(Waiting &waiting, std::unique_lock<std::mutex> &lock);
  void write_first(std::unique_lock<std::mutex> &lock);
  void recycle(std::unique_ptr<EventsChunk> chunk);

  unsigned most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> jobs_; // only the first one is being written
  std::vector<std::unique_ptr<EventsChunk>> spares_;
  bool over_ = false;
  size_t idle_ = 0;
  std::vector<std::thread> threads_; // from the first chunk on: nothing has been forked by then but the program
};

} // namespace dprof
