// Stage: caches -> shard. The outcomes of a shard's references as a file: those that are no plain hits, and what moved
// with them. `merge --shards` counts them with those of the other shards. docs/replay/shards.md.
#pragma once

#include <string>

#include "batch/cache_totals.h"
#include "batch/reference_batch.h"
#include "machine/shard.h"
#include "shards/shard_bytes.h"

namespace dprof {

class ShardWriter {
public:
  /// `header`: any text, which says to `merge` what was asked.
  ShardWriter(const std::string &path, const std::string &header, const Machine &machine, Shard shard);
  /// The batch's outcomes are those of the shard's lines.
  void add(const ReferenceBatch &batch);
  /// After all batches: a line that the core's L1 holds at the end, with a bit for each of its bytes that was touched.
  void hold(uint32_t core, uint32_t line, uint64_t address, const uint64_t *used);
  void finish(const CacheTotals &totals);

private:
  /// The next entries of the batch at hand.
  struct Place {
    const Outcome *outcome;
    const LineMiss *miss;
    const LineMove *move;
    const Aside *aside;
  };
  void addOutcome(const ReferenceBatch &batch, Place &place, uint32_t piece);
  void putMiss(const ReferenceBatch &batch, const LineMiss &miss, uint32_t bits);
  void putLine(uint64_t address, const uint64_t *used);
  bool isOwn(uint32_t granule) const;
  void flush(uint32_t last);
  void write(const void *bytes, size_t count);

  const std::string path_;
  const ShardLines lines_;
  const unsigned granulesShift_; // of a line
  const unsigned linesShift_;    // of a page
  const uint32_t lineWords_;     // of bits, one for each byte of a line
  std::vector<uint64_t> pages_{0};
  OpenFile file_;
  std::vector<uint8_t> bytes_, held_;
  uint64_t first_ = 0, last_ = 0; // references before the batch; the last one that has an outcome
  uint64_t heldLines_ = 0;
};

} // namespace dprof
