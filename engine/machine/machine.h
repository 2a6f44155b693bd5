// Stage: replay. The simulated machine: cores, the shape of its caches, latencies. It is complete: src/machine resolves
// every default before a machine comes here.
#pragma once

#include <array>
#include <cstdint>

#include "machine/whole_machine.h"

namespace dprof {

struct LevelShape {
  uint32_t sets, ways, latency;
  uint64_t lines() const { return uint64_t{sets} * ways; }
};

struct Machine {
  uint32_t cores, lineShift, coresPerLlc;
  LevelShape level[3];
  uint32_t memoryLatency, cacheToCacheLatency, remoteMemoryLatency, remoteCacheLatency;
  WholeOptions whole;
  bool oneByOne = false; // references of a lone core, too: for shards, which do not know what is hit, and callers
  /// Words of bits, one for each byte of a line.
  uint32_t lineWords() const { return ((1u << lineShift) + 63) / 64; }
  bool onePlainCore() const { return cores == 1 && whole.plain && !oneByOne; }
};

/// The first stage makes the same batches for both.
inline bool laysOutAlike(const Machine &a, const Machine &b) {
  return a.cores == b.cores && a.lineShift == b.lineShift && a.onePlainCore() == b.onePlainCore();
}

/// Latencies by server; behind them the latency that the TLB adds: for a hit, a miss of its first level, a walk.
inline std::array<uint32_t, 10> latenciesOf(const Machine &m) {
  return {m.level[0].latency,    m.level[1].latency,   m.level[2].latency,    m.cacheToCacheLatency,
          m.memoryLatency,       m.remoteCacheLatency, m.remoteMemoryLatency, 0,
          m.whole.tlbLatency[0], m.whole.tlbLatency[1]};
}

} // namespace dprof
