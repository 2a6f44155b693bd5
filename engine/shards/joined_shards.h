// Stage: shards -> counting. In the place of caches: the outcomes of a batch's references, which all shards together
// say.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "shards/shard_reader.h"

namespace dprof {

class JoinedShards {
public:
  JoinedShards(const std::vector<std::string> &paths, const Machine &machine);
  void lookUp(ReferenceBatch &batch);
  CacheTotals totals() const;
  /// After all batches: each line that an L1 holds at the end, by core and line: its address, and a bit for each byte
  /// that was touched there.
  template <typename Visit> void eachInL1(Visit visit) {
    for (const ShardReader::Held &held : heldLines()) visit(held.bytes[0], held.bytes.data() + 1);
  }

private:
  /// A shard, and how its numbers of stores (caches/sharing.h) are called here.
  struct Source {
    Source(const std::string &path, const Machine &machine) : reader(path, machine) {}
    ShardReader reader;
    std::unordered_map<uint32_t, uint32_t> stores;
  };
  void add(ReferenceBatch &batch, Source &source);
  std::vector<ShardReader::Held> heldLines();
  void checkLine(const Source &source, uint32_t line) const;
  /// Whether the first one's next entry comes behind the other's.
  static bool isLater(const Source *a, const Source *b);

  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<Source *> waiting_; // a heap: the source of the next entry first
  const unsigned linesShift_;     // of a page
  uint64_t first_ = 0;            // references before the batch
  uint32_t stores_ = 0, pages_ = 1;
};

} // namespace dprof
