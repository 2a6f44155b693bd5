// Stage: replay. Tree-PLRU: a binary tree over the ways of each set, the root at 1, the children of node n at 2n and
// 2n + 1. A node's bit says which half the next victim is in; a reference turns the bits on its way away from itself.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace dprof {

class TreePlru {
public:
  static constexpr const char *WORD = "tree-plru";
  TreePlru(uint32_t sets, uint32_t ways, uint32_t /* seed */) : ways_(ways), bits_(size_t{sets} * ways) {}
  static const char *refusal(uint32_t ways) { return std::has_single_bit(ways) ? nullptr : "must be a power of two"; }

  void touch(size_t first, size_t frame) {
    for (size_t node = frame - first + ways_; node > 1; node >>= 1) bits_[first + (node >> 1)] = (node & 1) ^ 1;
  }
  void fill(size_t first, size_t frame) { touch(first, frame); }
  size_t victim(size_t first) const {
    size_t node = 1;
    while (node < ways_) node = 2 * node + bits_[first + node];
    return first + node - ways_;
  }

private:
  uint32_t ways_;
  std::vector<uint8_t> bits_; // by set, then node
};

} // namespace dprof
