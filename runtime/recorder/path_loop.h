// Stage: recorder. The loop that encodes nearly all paths, and the state it works on. Events, stamps, what was not seen before and the
// end of a piece it leaves to the ThreadEncoder.
#pragma once

#include <stdint.h>

namespace dprof {

enum Operation : uint8_t { PREDICTED_PATH = 0, OTHER_PATH = 1, RUNTIME_EVENT = 2 };
enum WordCode : uint8_t { STRIDE = 0, LINKED = 1, EXPLICIT = 2, SAME = 3 };

// Four words of one path.
struct WordBlock {
  uint64_t last[4], stride[4];
};

// What a thread knows of a path; its blocks follow. The first word of the first block is not the path's: it is `base` as it was when the path
// last occurred, so that word 0 is linked if it has moved as far as the word before it, as all other words are.
struct alignas(32) PathState {
  uint64_t header; // 0: the thread has not come to it yet
  uint64_t counts; // one_step, and its segments
  uint32_t number;
  uint32_t successor; // PathPlace
  uint32_t first_position; // in PathLoop::positions
  uint8_t words;          // that follow the header
  uint8_t coded_words;    // if they are fewer, there are gaps; not_short: a path for the ThreadEncoder, which looks at neither
  uint16_t settled; // for the AVX2 loop: lanes of the first block that are no words

  WordBlock *blocks() { return (WordBlock *)(this + 1); }
  static constexpr uint32_t bytes(uint64_t coded_words) { return (uint32_t)(sizeof(PathState) + sizeof(WordBlock) * (coded_words / 4 + 1)); }
};
static_assert(sizeof(PathState) == 32 && sizeof(WordBlock) == 64);

constexpr uint64_t one_step = 1ull << 40;
constexpr uint8_t not_short = 255;
constexpr uint64_t most_short_words = 31;
constexpr uint64_t most_path_words = 254; // of a short path, with gaps
// A path that begins before the loop's limit may end this many words behind it, and a block may be read whole.
constexpr uint64_t words_behind_limit = 1 + most_path_words + 4;
// Bytes of the control column for one short path, as far as they may be written: a run, an operation, another path's number, codes.
constexpr uint64_t most_control_bytes = 10 + 1 + 10 + 8;
// The same for a word in the words column.
constexpr uint64_t most_word_bytes = 10;

struct PathLoop {
  const uint64_t *next; // word
  const uint64_t *limit;
  char *states;
  PathState *before; // the path before
  uint64_t base;
  uint64_t run;
  uint64_t counts; // one_step for each step, and segments
  uint8_t *control;
  uint64_t *differences; // of explicit words; room for four more than there are words
  const uint32_t *places; // PathTable::places_at
  uint64_t places_begin, places_bytes;
  const uint32_t *positions;
};

// What differs between kinds of processors.
struct PathLoops {
  // Up to the limit, or to a header word that is not for this loop.
  void (*encode)(PathLoop &loop);
  // Differences -> the words column; returns its end. May write 8 bytes more.
  uint8_t *(*pack)(const uint64_t *begin, const uint64_t *end, uint8_t *to);
};
extern const PathLoops path_loops_plain, path_loops_avx2;
// Those for this one.
const PathLoops &path_loops();

} // namespace dprof
