// Stage: shard -> counting. The entries of a shard's file, in order. A file that lies is a TraceError, before anything
// is counted of it.
#pragma once

#include <string>

#include "batch/cache_totals.h"
#include "batch/reference_batch.h"
#include "shards/shard_bytes.h"

namespace dprof {

class ShardReader {
public:
  ShardReader(const std::string &path, const Machine &machine);

  /// A line that leaves an L1, or is in one at the end: its address, and a bit for each of its bytes that was touched.
  using LineBytes = std::vector<uint64_t>;
  struct Move {
    LineEvent event;
    bool left; // out of an L1: the next of `lines`
  };
  /// An outcome of the shard.
  struct Entry {
    uint64_t reference; // counted from the first of the replay; ~0: there are no more
    uint32_t piece;     // of an odd access; NO_INDEX: all of the reference
    uint32_t bits;
    bool hasAside;
    uint32_t missed, stored; // as in Aside
    LineMiss miss;           // if it missed the L1
    std::vector<Move> moves;
    LineBytes lines; // of the miss's victim, if lines are longer than 64 bytes, and of moves
  };
  /// The next one.
  const Entry &entry() const { return entry_; }
  void pass() { read(); }

  /// Behind all entries.
  struct End {
    uint64_t references;
    CacheTotals totals;
  };
  const End &end() const { return end_; }
  struct Held {
    uint32_t core, line;
    LineBytes bytes;
  };
  /// The next line that an L1 holds at the end, by core and line; false: there are no more.
  bool nextHeld(Held &held);
  /// Throws a TraceError about the place at hand.
  [[noreturn]] void refuse(const char *what, const std::string &expected, uint64_t actual) const;
  const uint32_t lineWords;

private:
  void openBlock();
  void read();
  void readMiss();
  void readMoves();
  void readLine(LineBytes &into);
  uint64_t number();
  uint32_t below(const char *what, uint64_t bound);
  uint32_t index(const char *what);
  void readBytes(void *into, size_t count, const char *what);

  const std::string path_;
  const Machine machine_;
  OpenFile file_;
  std::vector<uint8_t> block_;
  size_t at_ = 0;
  uint64_t blockOffset_ = 0, fileOffset_ = 0;
  bool isLast_ = false;
  uint64_t reference_ = 0, heldLines_ = 0;
  Entry entry_{};
  End end_{};
};

} // namespace dprof
