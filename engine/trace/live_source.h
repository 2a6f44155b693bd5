// Stage: recorder -> replay, while a program runs. The reader's half of a live trace (dprof/live_trace.h): chunks one
// after the other, each verified. Chunks that may be asked for once more are kept: in memory as far as there is room,
// then in a file without a name. One thread's chunks are asked for (`next`); those of several threads go into a table
// as they come (`learn`).
//
// Contract: one thread at a time reads; `pause`, `endOfStream` and `stop` may be called on any other at any time.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "dprof/live_trace.h"
#include "trace/input.h"

namespace dprof {

class LiveSource : public ChunkFeed {
public:
  /// `capacity`: bytes of the trace that may be in memory.
  explicit LiveSource(uint64_t capacity);
  ~LiveSource() override;
  LiveSource(const LiveSource &) = delete;
  LiveSource &operator=(const LiveSource &) = delete;
  int data() const { return data_; }
  int control() const { return controlFile_; }
  dprof_live_control *words() { return control_; }

  /// The reason why there is no further chunk. PAUSED: nothing more is known yet (`pause`). MODULE, THREAD: the next
  /// chunk needs another catalog, or comes from another thread. CORES: there are more threads than the machine was made
  /// for. AGAIN: the replay turned out to have used another order than the trace's. END, CUT: the trace is over, with
  /// its END chunk or cut short.
  enum class Stop { NONE, PAUSED, MODULE, THREAD, CORES, AGAIN, END, CUT };
  /// The next chunk of thread 0.
  std::optional<ChunkPlace> next() override;
  Stop stop() const { return stop_; }
  void read(uint64_t offset, void *into, size_t bytes) const;
  /// Words of the RAW chunk that was asked for last, DPROF_LIVE_SLOT_WORDS of them.
  const uint64_t *rawWords() const;

  /// Waits for one more chunk, of any thread, or for news of threads that sleep. False: `stop` says why there is none
  /// now. At the trace's end it returns true once, because then it is known that no thread has more.
  bool learn();
  /// Threads whose first chunk came since the last call.
  std::vector<uint32_t> takeArrived() { return std::exchange(arrived_, {}); }
  /// Threads that got a chunk or ended since the last call.
  std::vector<uint32_t> takeGrown() { return std::exchange(grown_, {}); }
  bool isOver() const { return stop_ == Stop::END || stop_ == Stop::CUT; }
  /// Stops the replay for that reason.
  void giveUp(Stop why) { stop_ = why; }
  /// True: the chunks of all threads go into one table.
  bool isTogether() const { return threads_ != nullptr; }

  /// Waits until there is an EVENTS chunk, or no more to come. Returns PAUSED, END (all chunks that will come are
  /// there) or NONE.
  Stop awaitEvents();
  /// Passes over all chunks until no more can come. Returns PAUSED or END.
  Stop collect();
  /// Starts again with the first chunk; only while all chunks are kept. `known`: modules before this position are in
  /// the catalog. `threads`: null for one thread; else the table for at most `mostThreads` threads.
  void rewind(uint64_t known, std::deque<ThreadChunks> *threads, uint32_t mostThreads);
  /// Chunks that have been read will not be asked for again.
  void settle();
  /// A file with all that is known of the trace, each byte at its offset; only while all is kept.
  int whole();
  /// The recorder keeps nothing of the trace.
  bool isNothing() const { return load(control_->over) == DPROF_LIVE_NOTHING || written() == 0; }

  ChunkPlace end = {};                            // of the END chunk's payload
  uint64_t position() const { return position_; } // the end of the last whole chunk that was read
  uint64_t written() const { return load(control_->written); }
  /// What the recorder has put into chunks so far; some of these may still wait for room.
  uint64_t steps() const { return load(control_->steps); }

  /// Makes the reader return as soon as it can, with PAUSED.
  void pause();
  bool isPaused() const { return paused_; }
  void resume() { paused_ = false; }
  /// The recorder is gone, whether or not it said so.
  void endOfStream();
  /// The recorder need not wait any more.
  void dismiss();

private:
  struct ChunkHeader {
    uint16_t kind;
    uint32_t thread, sequence;
    ChunkPlace payload;
  };
  template <typename T> static T load(const T &word) { return __atomic_load_n(&word, __ATOMIC_SEQ_CST); }
  template <typename T> static void store(T &word, T value) { __atomic_store_n(&word, value, __ATOMIC_SEQ_CST); }
  uint64_t needed() const;
  bool blocksItself() const;
  void makeRoom();
  bool await(uint64_t end);
  std::optional<ChunkHeader> readHeader();
  void verify(const ChunkHeader &header, uint32_t checksum);
  bool isKnown(const ChunkHeader &header) const;
  Stop take(const ChunkHeader &header);
  void addChunk(const ChunkHeader &header);
  void takeOutlooks(const ChunkHeader &header);
  void closeAll();
  void keepBounded();
  void release(uint64_t before);
  void releaseRaw();
  void spool(uint64_t before);
  void wakeReader();

  int data_ = -1, controlFile_ = -1, spool_ = -1;
  dprof_live_control *control_ = nullptr;
  std::atomic<bool> paused_ = false;
  bool keeps_ = true, inHead_ = true, collects_ = false;
  uint64_t position_; // of the chunk that comes next
  uint64_t known_ = 0;
  uint64_t distrusted_ =
      0; // before this position, the outlooks of threads are ignored, because one of them logged something else
  uint64_t spooled_ = 0;   // everything before this position is in the file
  uint32_t sequence_ = 0;  // of thread 0's next chunk
  uint64_t rawChunks_ = 0; // taken so far
  uint32_t checksum_ = 0;  // of the payload at hand
  Stop stop_ = Stop::NONE;
  std::string payload_; // of the chunk that is verified
  std::deque<ThreadChunks> *threads_ = nullptr;
  uint32_t mostThreads_ = 0;
  std::vector<uint32_t> arrived_, grown_;
};

} // namespace dprof
