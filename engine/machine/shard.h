// Stage: replay. A share of the cache lines whose sets no other share's lines are in, at any level: their misses,
// evictions and coherence depend on no other share's.
#pragma once

#include <numeric>

#include "machine/machine.h"

namespace dprof {

struct Shard {
  uint32_t index = 0, count = 0; // count 0: all lines, and no shards
};

/// The shard's, on a machine whose lines are in the set of their number.
class ShardLines {
public:
  ShardLines(const Machine &machine, Shard shard) : shard_(shard) {
    for (const LevelShape &level : machine.level) sets_ = std::gcd(sets_, uint64_t{level.sets});
  }
  bool has(uint64_t line) const { return line % sets_ % shard_.count == shard_.index; }

private:
  const Shard shard_;
  uint64_t sets_ = 0; // lines whose numbers are equal modulo it may share a set
};

} // namespace dprof
