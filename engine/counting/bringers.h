// Stage: replay. Who brought the line that lies in each place of the caches: one record a place, so that a line that
// comes finds all that is to be known about the one that leaves.
#pragma once

#include "base/huge_vector.h"
#include "machine/machine.h"
#include "objects/labels.h"

namespace dprof {

/// A label and an owner, Residency's, in one word. The owner is 0 if the flow is not wanted, or the place is empty.
class Bringer {
public:
  static constexpr uint32_t MOST_SAME = 1u << (32 - Labels::BITS);
  static uint32_t labelIn(uint64_t word) { return static_cast<uint32_t>(word >> OWNER_BITS) & Labels::NONE; }
  static uint32_t ownerIn(uint64_t word) { return static_cast<uint32_t>(word); }
  static uint64_t wordOf(uint32_t label, uint32_t owner) { return uint64_t{label} << OWNER_BITS | owner; }

  /// Of the reference that brought the line.
  uint32_t label() const { return labelIn(word_); }
  uint32_t owner() const { return ownerIn(word_); }
  /// Another line came, with that label. `same` was 0.
  void bring(uint32_t label) { word_ = wordOf(label, owner()); }
  void own(uint32_t owner) { word_ = word_ >> OWNER_BITS << OWNER_BITS | owner; }
  /// If another line comes with the line's own label, it is counted here. False if not, or if these are MOST_SAME now:
  /// then they are 0 again.
  bool bringsSame(uint32_t label) { return this->label() == label && countSame(); }
  bool hasRoom() const { return word_ < 0 - ONE; }
  bool isOf(uint64_t word) const { return (word_ ^ word) << SAME_BITS == 0; }
  /// Another line comes with the line's own label. False as above.
  bool countSame() { return !__builtin_add_overflow(word_, ONE, &word_); }
  /// Lines that came in place of lines with their own label. They are 0 then.
  uint32_t takeSame() {
    const uint32_t same = static_cast<uint32_t>(word_ >> (64 - SAME_BITS));
    word_ &= ONE - 1;
    return same;
  }

private:
  static constexpr unsigned OWNER_BITS = 32, SAME_BITS = 32 - Labels::BITS;
  static constexpr uint64_t ONE = uint64_t{1} << (64 - SAME_BITS);
  uint64_t word_ = 0; // behind label and owner the lines
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
  /// By place.
  Bringer *data(unsigned level) { return bringers_[level].data(); }
  /// A place that will be filled soon. Of a level that the line does not pass it may be anything.
  void fetch(unsigned level, uint32_t unit, uint32_t place) const {
    __builtin_prefetch(bringers_[level].data() + unit * places_[level] + place, 1);
  }

private:
  size_t places_[3];                // of a unit
  HugeVector<Bringer> bringers_[3]; // by unit and place
};

} // namespace dprof
