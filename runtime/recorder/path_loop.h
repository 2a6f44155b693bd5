// Stage: recorder. The loop that encodes nearly all paths, and the state on which it works. It leaves to the
// ThreadEncoder: events except TIME, stamps of atomics, paths not seen before, and the end of a piece.
#pragma once

#include <stdint.h>

#include "dprof/abi.h"

namespace dprof {

enum Operation : uint8_t { PREDICTED_PATH = 0, OTHER_PATH = 1, RUNTIME_EVENT = 2 };
enum WordCode : uint8_t { STRIDE = 0, LINKED = 1, EXPLICIT = 2, SAME = 3 };

// Four words of one path, which fill a line of the cache: with it, and that of the state in front, most paths have all.
constexpr uint32_t block_words = 4;
struct alignas(64) WordBlock {
  uint64_t last[block_words], stride[block_words];
};

// A thread's prediction state of a path; its blocks follow. The first word of the first block is not the path's: it is
// `base` as it was when the path last occurred. So word 0 is linked if it has moved as far as the word before it, like
// all other words.
struct alignas(64) PathState {
  uint64_t header; // 0: the thread has not taken the path yet
  uint64_t counts; // one_step, and its segments
  uint32_t number;
  uint32_t successor;      // PathPlace
  uint32_t first_position; // in PathLoop::positions
  uint8_t words;           // words behind the header
  uint8_t
      coded_words; // if they are fewer, there are gaps; not_short: a path for the ThreadEncoder, which looks at neither
  uint8_t code_bytes; // bytes of codes behind the operation; 0: the codes are in the operation
  uint8_t code_mask;  // bits of the operation that are codes
  uint16_t settled;   // for a loop that takes a block's words at once: lanes of the first block that are no words

  WordBlock *blocks() { return (WordBlock *)(this + 1); }
  static constexpr uint32_t bytes(uint64_t coded_words) {
    return (uint32_t)(sizeof(PathState) + sizeof(WordBlock) * (coded_words / block_words + 1));
  }
};
static_assert(sizeof(PathState) == 64 && sizeof(WordBlock) == 64);

struct TimeStamp {
  uint64_t stamp, cpu;
};

constexpr uint64_t one_step = 1ull << 40;
constexpr uint8_t not_short = 255;
constexpr uint64_t most_short_words = 31;
constexpr uint64_t most_path_words = 254; // of a short path, with gaps
constexpr uint64_t words_of_blocks = 8;   // as blocks are read whole: so many words may be read behind a path
// A path that begins before the loop's limit may end this many words behind it.
constexpr uint64_t words_behind_limit = 1 + most_path_words + words_of_blocks;
constexpr uint64_t time_header = DPROF_EVENT_HEADER(DPROF_EVENT_TIME, 2, 0);
// The most bytes of the control column that one short path may write: a run, an operation, another path's number,
// codes.
constexpr uint64_t most_control_bytes = 10 + 1 + 10 + 8;
// The most bytes that may be written behind the last word of the words column.
constexpr uint64_t most_behind_words = 64;

struct PathLoop {
  const uint64_t *next; // word
  const uint64_t *limit;
  const uint64_t *end; // of the words; only where the limit is nearer to it than `words_behind_limit`
  char *states;
  PathState *before; // the path before
  uint64_t base;
  uint64_t run;
  uint64_t counts; // one_step for each step, and segments
  uint8_t *control;
  uint64_t *differences;  // of explicit words; room for eight more than there are words
  TimeStamp *times;       // of TIME events
  const uint32_t *places; // PathTable::places_at
  uint64_t places_begin, places_bytes;
  const uint32_t *positions;
};

// The functions that differ between kinds of processors.
struct PathLoops {
  // Encodes up to the limit, or up to a header word that this loop does not handle.
  void (*encode)(PathLoop &loop);
  // The same up to `end`, of which the last path may be cut short. There may be read as far behind it all the same.
  void (*encode_last)(PathLoop &loop);
  // Differences -> the words column; returns its end. May write `most_behind_words` bytes more.
  uint8_t *(*pack)(const uint64_t *begin, const uint64_t *end, uint8_t *to);
};
extern const PathLoops path_loops_plain, path_loops_avx2, path_loops_avx512;
// The functions for this processor.
const PathLoops &path_loops();

} // namespace dprof
