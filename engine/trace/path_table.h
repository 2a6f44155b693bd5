// Stage: trace -> replay. Path numbers -> the meaning of each path, and one thread's prediction state of it. There are
// many paths, but threads take few: each is followed through its region's nodes when the thread first takes it.
#pragma once

#include <bit>
#include <memory>
#include <vector>

#include "trace/call_stack.h"
#include "trace/event.h"
#include "trace/joined_runs.h"
#include "trace/record_plan.h"

namespace dprof {

/// A word of a path's records: a coded word, plus a constant in derived addresses.
struct WordSource {
  uint32_t coded;
  int32_t delta;
  uint64_t of(const uint64_t *codedWords) const { return codedWords[coded] + static_cast<uint64_t>(int64_t{delta}); }
};

struct Path;

/// The parts of a loop's path besides the records of an iteration. Its first coded word is the number of whole
/// iterations.
struct LoopShape {
  /// The coded word that is a stride, or 0 and a constant.
  struct Stride {
    uint32_t coded;
    int32_t delta;
    uint64_t of(const uint64_t *codedWords) const {
      return coded ? codedWords[coded] : static_cast<uint64_t>(int64_t{delta});
    }
  };
  std::vector<Stride> strides;             // by word
  uint32_t tailRecords = 0, tailWords = 0; // of the last, partial iteration, in which the loop was left
  std::vector<uint32_t> slots;             // by word
  std::vector<uint32_t> before;            // by word: instructions of the iteration before its record
  uint32_t instructions = 0;               // of an iteration
  bool plain = true;                       // only loads, stores and atomics
  // For loops of few words, as plain paths: an iteration, and the last one, if it has records.
  Path *iteration = nullptr, *tail = nullptr;
  uint64_t mostShort = 0; // iterations that are replayed as such paths
  /// The same of all of it, by the number of iterations less one; null until it is taken. Empty if a stride is coded.
  mutable std::vector<Path *> whole;
  uint64_t mostWhole = 0; // its size
};

/// A word of a path whose records are all plain: the source of its address, and the facts about its slot.
struct PlainWord {
  WordSource source;
  SlotShape shape;
};
/// Words in a row that have one source, within so few bytes that they may lie in one line.
struct PlainRun {
  WordSource source;     // of its lowest byte
  SlotShape shape;       // the word's, or that of all of them (joined_runs.h): a store is one of them
  uint64_t bytes;        // a bit for each byte that they touch, from the lowest on
  uint64_t tagBits;      // of record_plan.h
  uint32_t before;       // instructions of the path before its first record, if the flow is wanted
  uint16_t first, count; // words
};
/// Both are added in one addition.
struct alignas(uint64_t) StepCounts {
  uint32_t segments = 0, slots = 0;
  void operator+=(StepCounts other) {
    *this = std::bit_cast<StepCounts>(std::bit_cast<uint64_t>(*this) + std::bit_cast<uint64_t>(other));
  }
};
struct PlainPath {
  /// One entry stands for consecutive records that move the call stack as their first does, and for those of a function
  /// that is entered and left.
  struct Call {
    uint32_t function, call; // the last record's
    uint8_t flags;           // of CallStack::pass
  };
  std::vector<PlainWord> words;
  std::vector<PlainRun> runs;   // of all words
  std::vector<uint32_t> before; // by word, if the flow is wanted: instructions of the path before its record
  std::vector<Call> calls;
  StepCounts counts;
  uint32_t instructions = 0;
  uint32_t codedWords = 0; // of the path,
  uint64_t number = 0;     // and its own
  // Of layout/steady_paths.h, for each thread's own: so many executions are not asked for there; so many that were not
  // there end in such a pause. A path of one run is hardly quicker as a whole.
  static constexpr uint32_t LONG_PAUSE = 1u << 20;
  struct alignas(64) Luck { // apart from what the decoder reads
    uint32_t pause = LONG_PAUSE, patience = 64;
  };
  mutable Luck luck;
  std::vector<uint32_t> records; // of all words
  bool hasStructs = false;       // whether a word is of a struct

  void addCall(const RecordPlan &record);
  /// Its words, records and calls are known.
  void complete(const Plans &plans, JoinedRuns &joined);

private:
  void findRuns(JoinedRuns &joined);
};

/// A path stands at the beginning of one block of memory; its arrays follow. Zeros pad them to whole groups, at least
/// one, so that loops over them need no check at the start and no remainder.
struct Path {
  static constexpr uint32_t GROUP = 4;
  static uint32_t padded(uint32_t count) { return count == 0 ? GROUP : (count + GROUP - 1) / GROUP * GROUP; }

  uint64_t number;
  uint64_t base = 0; // when the thread took it last: the last coded word of the path before
  Path *successor = this;
  uint32_t recordCount, wordCount, codedWords;
  uint32_t lengthCount;
  bool stamped;          // the last record
  uint32_t decoding = 0; // of its words: a row of quick_steps.cpp
  const LoopShape *loop = nullptr;
  const PlainPath *plain = nullptr; // only if the table makes such
  // Of a plain path with one entry of calls, which moves nothing: that entry's; else NO_INDEX.
  uint32_t function = NO_INDEX, call = 0;

  void keepQuietCall();
  uint64_t *last() { return reinterpret_cast<uint64_t *>(this + 1); }
  uint64_t *stride() { return last() + padded(codedWords); }
  WordSource *words() { return reinterpret_cast<WordSource *>(stride() + padded(codedWords)); }
  uint32_t *records() { return reinterpret_cast<uint32_t *>(words() + padded(wordCount)); }
  /// Coded words that are lengths of block operations.
  uint32_t *lengths() { return records() + padded(recordCount); }
};

class PathTable {
public:
  static constexpr uint32_t MOST_PLAIN_WORDS = 256;
  /// A loop of up to so many words in all its iterations costs more as a loop than as its iterations.
  static constexpr uint32_t SHORT_LOOP_WORDS = 24;
  /// `plain`: paths of plain segments get a PlainPath; `loops`: iterations of loops too.
  PathTable(const Plans &plans, bool plain, bool loops)
      : joined(plans.slots.size()), plans_(plans), plain_(plain), loopsPlain_(plain && loops), slots_(64) {}
  PathTable(const PathTable &) = delete;

  /// `control`: the place where the number was read, for errors.
  Path *find(uint64_t number, const Cursor &control) {
    for (size_t at = hash(number);; at++) {
      Path *path = slots_[at &= slots_.size() - 1];
      if (!path) return follow(number, control);
      if (path->number == number) return path;
    }
  }
  /// Null if the thread has not taken the path yet.
  Path *known(uint64_t number) const {
    for (size_t at = hash(number);; at++) {
      Path *path = slots_[at &= slots_.size() - 1];
      if (!path || path->number == number) return path;
    }
  }
  /// Predicts every path as if the thread had never taken it; what was said of the paths stays.
  void forgetPredictions();
  /// Size of the longest path so far, padded.
  uint32_t maxRecords() const { return maxRecords_; }
  uint32_t maxWords() const { return maxWords_; }

  /// Makes all of a short loop with constant strides a plain path, whose coded words are the loop's. Null if there are
  /// very many such paths.
  Path *makeWhole(Path &path, uint32_t iterations);

  JoinedRuns joined; // of its plain paths

private:
  struct Items;
  static size_t hash(uint64_t number) { return number * 0x9e3779b97f4a7c15ull >> 32; }
  Path *follow(uint64_t number, const Cursor &control);
  const PlainPath *plainOf(const Items &items);
  Path *addPlain(std::unique_ptr<PlainPath> plain, uint64_t number, uint32_t words, uint32_t codedWords);
  void addIterations(const Items &items, LoopShape &loop);
  Path *iterationOf(const Items &items, const LoopShape &loop, uint32_t records, uint32_t words);
  Path *build(uint64_t number, const Items &items, const LoopShape *loop);
  void countSize(const Items &items, uint64_t nodesPassed);
  void insert(Path *path);

  const Plans &plans_;
  const bool plain_, loopsPlain_;
  std::vector<Path *> slots_; // a power of two, at most half full
  size_t count_ = 0;
  uint64_t totalSize_ = 0;
  uint64_t wholeWords_ = 0; // of whole loops
  uint32_t maxRecords_ = 0, maxWords_ = 0;
  std::vector<std::unique_ptr<uint64_t[]>> blocks_;
  std::vector<std::unique_ptr<LoopShape>> loops_;
  std::vector<std::unique_ptr<PlainPath>> plainPaths_;
  std::vector<std::unique_ptr<Path>> iterations_;
  uint64_t *free_ = nullptr, *freeEnd_ = nullptr;
};

} // namespace dprof
