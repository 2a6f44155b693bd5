// Stage: replay. Who brought the line that lies in each place of the caches: one record a place, so that a line that
// comes finds all that is to be known about the one that leaves.
#pragma once

#include "base/huge_vector.h"
#include "machine/machine.h"
#include "objects/labels.h"

namespace dprof {

class Bringer {
public:
  static constexpr uint32_t MOST_SAME = 1u << (32 - Labels::BITS);

  /// Of the reference that brought the line.
  uint32_t label() const { return word_ & Labels::NONE; }
  /// Another line came, with that label. `same` was 0.
  void bring(uint32_t label) { word_ = label; }
  /// If another line comes with the line's own label, it is counted here. False if not, or if these are MOST_SAME now:
  /// then they are 0 again.
  bool bringsSame(uint32_t label) {
    return !((word_ ^ label) & Labels::NONE) && !__builtin_add_overflow(word_, ONE, &word_);
  }
  /// Lines that came in place of lines with their own label. They are 0 then.
  uint32_t takeSame() {
    const uint32_t same = word_ >> Labels::BITS;
    word_ &= Labels::NONE;
    return same;
  }

  uint32_t owner = 0; // Residency's, if the flow is wanted; 0: the place is empty

private:
  static constexpr uint32_t ONE = 1u << Labels::BITS;
  uint32_t word_ = 0; // the label, and behind it the lines
};

class Bringers {
public:
  explicit Bringers(const Machine &machine) {
    const uint32_t cores[] = {machine.whole.coresPerL1, machine.whole.coresPerL2, machine.coresPerLlc};
    for (unsigned level = 0; level < 3; level++) {
      places_[level] = machine.level[level].lines();
      bringers_[level].resize((machine.cores + cores[level] - 1) / cores[level] * places_[level]);
    }
  }
  Bringer &at(unsigned level, uint32_t unit, uint32_t place) { return bringers_[level][unit * places_[level] + place]; }
  /// Bringers count lines with the same label up to this level. Beyond it there are too many places to go through.
  static constexpr unsigned LAST_SAME = 1;
  /// Visits each place of these levels, whatever the unit: its level, its number there, who brought the line.
  template <typename Visit> void eachSame(Visit visit) {
    for (unsigned level = 0; level <= LAST_SAME; level++)
      for (size_t at = 0; at < bringers_[level].size(); at += places_[level])
        for (size_t place = 0; place < places_[level]; place++)
          visit(level, static_cast<uint32_t>(place), bringers_[level][at + place]);
  }
  /// A place that will be filled soon. Of a level that the line does not pass it may be anything.
  void fetch(unsigned level, uint32_t unit, uint32_t place) const {
    __builtin_prefetch(bringers_[level].data() + unit * places_[level] + place, 1);
  }

private:
  size_t places_[3];                // of a unit
  HugeVector<Bringer> bringers_[3]; // by unit and place
};

} // namespace dprof
