// Stage: recorder. Chunks that several threads make at once -> the writer, in the order of turns: what each turn puts
// comes behind all of the turns before it, as if one thread had made them.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "chunk_writer.h"

namespace dprof {

class ChunkTurns {
public:
  // `most_ahead`: so many turns may be under way or wait to be written, which bounds what waits.
  ChunkTurns(ChunkWriter &writer, size_t turns, size_t most_ahead)
      : writer_(writer), turns_(turns), most_ahead_(most_ahead) {}

  // Turns must begin in their order, each in one thread, from which it puts its chunks.
  void begin(size_t turn);
  void put(size_t turn, ChunkJob job);
  void end(size_t turn);

private:
  struct Turn {
    std::vector<ChunkJob> waiting;
    bool over = false;
  };
  void put_waiting(size_t turn, std::unique_lock<std::mutex> &lock);

  ChunkWriter &writer_;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::vector<Turn> turns_;
  const size_t most_ahead_;
  size_t next_ = 0; // all turns before this one have been put
};

} // namespace dprof
