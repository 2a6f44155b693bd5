// Stage: replay. The bytes around an address that lie in the same leaf of a declared struct.
#pragma once

#include <algorithm>
#include <vector>

#include "objects/leaves.h"

namespace dprof {

class LeafRuns {
public:
  explicit LeafRuns(const Input &input) : input_(input), starts_(input.types.declared.count) {}

  /// Narrows the addresses from first to last to those around `address` of which leafAt says the same.
  void narrow(const LiveObject &object, uint64_t address, uint64_t &first, uint64_t &last) {
    const auto &types = input_.types;
    const uint32_t type = object.declared, span = types.leafSpan[type];
    const uint64_t base = object.start + object.slotOffset, at = address - base, flexible = types.flexibleFrom[type];
    if (types.leafBase[type] == NO_INDEX || span == 0) return;
    if (address < base) {
      last = std::min(last, base - 1);
    } else if (at >= flexible) {
      first = std::max(first, base + flexible);
    } else {
      const std::vector<uint32_t> &starts = startsOf(type);
      const uint64_t in = at % span, repeat = base + (at - in);
      const auto next = std::upper_bound(starts.begin(), starts.end(), in);
      first = std::max(first, repeat + *std::prev(next));
      last = std::min({last, repeat + (next == starts.end() ? span : *next) - 1, base + flexible - 1});
    }
  }

private:
  const std::vector<uint32_t> &startsOf(uint32_t type) {
    std::vector<uint32_t> &starts = starts_[type];
    if (!starts.empty()) return starts;
    const uint32_t base = input_.types.leafBase[type];
    for (uint32_t at = 0; at < input_.types.leafSpan[type]; at++)
      if (at == 0 || input_.types.leafAt[base + at] != input_.types.leafAt[base + at - 1]) starts.push_back(at);
    return starts;
  }
  const Input &input_;
  std::vector<std::vector<uint32_t>> starts_; // by type, made when first asked for: where runs of equal leaves begin
};

} // namespace dprof
