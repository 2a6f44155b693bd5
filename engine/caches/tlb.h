// Stage: replay. The TLB of one L1 unit: one or two levels of pages, true LRU.
#pragma once

#include <algorithm>

#include "machine/whole_machine.h"

namespace dprof {

class Tlb {
public:
  explicit Tlb(const TlbShape (&shape)[2]) : levels_{PageSets(shape[0]), PageSets(shape[1])} {}

  /// 0: a hit, 1: a miss of the first level only, 2: a walk.
  uint32_t reference(uint64_t page) {
    if (levels_[0].reference(page)) return 0;
    return levels_[1].reference(page) ? 1 : 2;
  }

private:
  /// A set is a row of pages, the last used first, free ways behind.
  class PageSets {
  public:
    explicit PageSets(const TlbShape &shape) : shape_(shape), pages_(size_t{shape.sets} * shape.ways, ~uint64_t{0}) {}
    bool reference(uint64_t page) {
      if (shape_.sets == 0) return false;
      auto first = pages_.begin() + static_cast<ptrdiff_t>(page % shape_.sets * shape_.ways),
           last = first + shape_.ways - 1;
      auto at = std::find(first, last, page);
      bool hit = *at == page;
      std::copy_backward(first, at, at + 1);
      *first = page;
      return hit;
    }

  private:
    TlbShape shape_;
    std::vector<uint64_t> pages_;
  };
  PageSets levels_[2];
};

} // namespace dprof
