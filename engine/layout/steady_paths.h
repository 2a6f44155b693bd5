// Stage: replay. Executions of paths that a thread repeats word by word: the lines that such a path references are
// looked at once, and if all of them may be hit without asking the caches, each is touched once.
//
// Exact because: a line that is in its way of the L1, and was referenced in the epoch at hand, is hit by every
// reference that stores to no unmodified line; then nothing but stamps and the bytes touched changes, and only the
// order of the lines' last stamps matters.
#pragma once

#include <vector>

#include "batch/reference_batch.h"
#include "layout/known_lines.h"
#include "trace/path_table.h"

namespace dprof {

class SteadyPaths {
public:
  /// `firstSlot`: of those for steady paths.
  SteadyPaths(KnownLines &known, uint32_t firstSlot) : known_(known), firstSlot_(firstSlot), entries_(STEADY_SLOTS) {}

  struct Line {
    uint64_t number, tagBits, used; // tagBits: of record_plan.h; used: a bit for each byte
    uint32_t way;                   // where it was lately
  };
  /// A path with its words, if it has lines.
  struct Entry {
    uint64_t hash = 0;
    const PlainPath *path = nullptr;
    uint32_t slot = 0;
    uint32_t epoch = 0; // of the caches, in which all lines were known
    uint32_t lastBatch = 0;
    uint32_t sightings = 0;
    uint64_t candidate = 0; // the hash of another that was asked for lately, and how often in a row
    std::vector<uint64_t> words;
    std::vector<Line> lines; // in the order of their last references
  };

  void begin(ReferenceBatch &batch) {
    news_ = &batch.steady;
    batch_++;
  }
  /// The entry for a path with these words, or the one that it may get.
  [[gnu::always_inline]] Entry &at(const PlainPath &path, const uint64_t *words, uint64_t &hash) {
    constexpr uint64_t FACTOR = 0x9e3779b97f4a7c15;
    uint64_t of = path.number;
    for (uint32_t i = 0; i < path.codedWords; i++) of = (of ^ words[i]) * FACTOR;
    hash = of;
    return entries_[of >> (64 - BITS)];
  }
  /// Makes all references of the path with these words if they hit. Else nothing is done.
  [[gnu::always_inline]] bool hit(Entry &entry, const PlainPath &path, const uint64_t *words, uint64_t hash,
                                  KnownHits &hits) {
    if (entry.hash != hash || entry.path != &path || entry.epoch != known_.epoch) return false;
    const uint64_t *const of = entry.words.data();
    for (uint32_t i = 0; i < path.codedWords; i++)
      if (of[i] != words[i]) [[unlikely]]
        return false;
    const Line *const begin = entry.lines.data(), *const end = begin + entry.lines.size();
    for (const Line *line = begin; line != end; line++)
      if (!hits.isIn(line->way, line->number, line->tagBits)) [[unlikely]]
        return false;
    for (const Line *line = begin; line != end; line++) hits.touch(line->way, line->used);
    entry.lastBatch = batch_;
    path.luck.patience = MOST_PATIENCE;
    return true;
  }
  /// The path's references were made one by one.
  [[gnu::noinline]] void passed(Entry &entry, const PlainPath &path, const uint64_t *words, uint64_t hash);

private:
  static constexpr unsigned BITS = 13;
  static_assert(STEADY_SLOTS == 1u << BITS);
  static constexpr uint32_t SIGHTINGS = 2;                   // after so many more an entry is made,
  static constexpr uint32_t LONG = 16;                       // if the one before it has not been met in so many batches
  static constexpr uint32_t MOST_PATIENCE = 32, PAUSE = 128; // in executions of a path
  void make(Entry &entry, const PlainPath &path, const uint64_t *words, uint64_t hash);
  void renew(Entry &entry);
  bool add(Entry &entry, SteadyPath &steady, uint64_t address, SlotShape shape, uint64_t bytes, uint32_t before);

  KnownLines &known_;
  const uint32_t firstSlot_;
  std::vector<Entry> entries_; // by hash
  std::vector<SteadySlot> *news_ = nullptr;
  uint32_t batch_ = LONG;
};

} // namespace dprof
