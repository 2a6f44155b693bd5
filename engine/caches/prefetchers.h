// Stage: replay. The prefetchers of one level: a reference that looked the level up to the lines that they ask for.
#pragma once

#include <algorithm>

#include "machine/whole_machine.h"

namespace dprof {

class Prefetchers {
public:
  Prefetchers(const std::vector<Prefetcher> &kinds, uint32_t l1Units, unsigned lineShift)
      : kinds_(kinds), lineShift_(lineShift), strides_(l1Units) {}

  /// `want` is given line numbers, in the order of the prefetchers; not yet checked against pages and caches.
  template <typename Want> void ask(uint32_t l1Unit, uint32_t slot, uint64_t address, bool miss, Want want) {
    uint64_t line = address >> lineShift_;
    for (Prefetcher kind : kinds_) {
      if (kind == Prefetcher::STRIDE) {
        uint64_t next =
            static_cast<uint64_t>(static_cast<int64_t>(address + train(l1Unit, slot, address)) >> lineShift_);
        if (next != line) want(next);
      } else if (miss) {
        want(kind == Prefetcher::NEXT_LINE ? line + 1 : line ^ 1);
      }
    }
  }

private:
  struct Stride {
    uint64_t address, stride;
    uint8_t confidence; // 0 to 3; from 2 on the stride is trusted
    bool known;
  };
  /// The stride that can be trusted now, else 0.
  uint64_t train(uint32_t l1Unit, uint32_t slot, uint64_t address) {
    std::vector<Stride> &strides = strides_[l1Unit];
    if (strides.size() <= slot) strides.resize(std::max<size_t>(slot + 1, strides.size() * 2));
    Stride &known = strides[slot];
    if (!known.known) {
      known = {address, 0, 0, true};
      return 0;
    }
    uint64_t stride = address - known.address;
    known.address = address;
    if (stride == known.stride) {
      known.confidence = std::min<uint8_t>(known.confidence + 1, 3);
      return known.confidence >= 2 ? stride : 0;
    }
    if (known.confidence <= 1) {
      known.stride = stride;
      known.confidence = 1;
    } else {
      known.confidence--;
    }
    return 0;
  }

  const std::vector<Prefetcher> kinds_;
  const unsigned lineShift_;
  std::vector<std::vector<Stride>> strides_; // by L1 unit, then by slot
};

} // namespace dprof
