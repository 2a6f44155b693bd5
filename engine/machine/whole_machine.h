// Stage: trace -> replay. The properties of a machine that is not plain, besides its shape: docs/replay/caches.md,
// "Whole machines".
#pragma once

#include <cstdint>
#include <vector>

#include "base/finaliser.h"

namespace dprof {

enum class Inclusion : uint8_t { NON_INCLUSIVE, INCLUSIVE, EXCLUSIVE };
enum class Protocol : uint8_t { MESI, MOESI, MESIF };
enum class Prefetcher : uint8_t { NEXT_LINE, ADJACENT_LINE, STRIDE };
enum class Colouring : uint8_t { VIRTUAL, FIRST_TOUCH, RANDOM };

struct LevelOptions {
  uint8_t policy = {}; // its place in AnyPolicy (caches/replacement.h); 0: LRU
  Inclusion inclusion = {};
  std::vector<Prefetcher> prefetchers;
};

struct TlbShape {
  uint32_t sets = 0, ways = 0; // no sets: no such level
};

struct WholeOptions {
  bool plain = true;
  LevelOptions level[3];
  uint32_t coresPerL1, coresPerL2, coresPerSocket;
  Protocol protocol;
  Colouring colouring;
  uint32_t pageShift, seed;
  TlbShape tlb[2];
  uint32_t tlbLatency[2] = {}; // of a hit in the second level, of a walk
};

/// The number of physical pages for random colouring.
constexpr uint32_t PHYSICAL_PAGES = 1 << 20;

/// A seed and a number to 32 bits that look random.
inline uint32_t mix(uint32_t seed, uint32_t number) { return finalise(seed ^ (number + 1) * 0x9e3779b1u); }

} // namespace dprof
