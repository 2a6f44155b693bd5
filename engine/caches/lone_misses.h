// Stage: replay. A lone core's references that no entry of its table answers: misses, with their class at every level,
// fills and evictions; and the first reference to a line in an epoch. docs/replay/caches.md. They are inline because
// there is one for each miss: whoever makes references is compiled with them.
#pragma once

#include "caches/lone_core.h"

namespace dprof {

/// The class of a miss at a level, and DProf's rule.
[[gnu::always_inline]] inline uint32_t LoneCore::missAt(unsigned level, uint32_t position, uint64_t number) {
  using namespace outcome;
  static_assert(COMPULSORY == 0 && CONFLICT + 1 == CAPACITY);
  totals.misses[level]++;
  const uint32_t kind = position == 0 ? COMPULSORY : CAPACITY - uint32_t{epochs_.holds(level, position)};
  return kind << (CLASS + 3 * level) | crowded_[level].rule(number);
}

constexpr uint32_t servedBy(uint32_t server) { return outcome::withLatency(server << outcome::SERVER, server, true); }

template <bool Usual>
[[gnu::always_inline]] inline LoneCore::Found LoneCore::findHere(uint64_t number, bool store,
                                                                 Appended<LineMiss> &misses) {
  using namespace outcome;
  const uint32_t id = idOf<Usual>(number), now = ++known_.clock;
  Line &line = lines_[id];
  uint32_t bits, at;
  if (line.isInL1()) {
    bits = outcome::PLAIN | uint32_t{store};
    at = line.l1 & ~IN_L1;
    if (store) ways_[at].tag &= ~NO_STORE;
  } else {
    LineMiss &miss = misses.append();
    miss.place[2] = 0; // is fetched ahead
    const uint32_t position = line.position;
    if (position == 0) [[unlikely]]
      meetFirst(number);
    bits = missAt(0, position, number) | uint32_t{store};
    if (line.l2) [[likely]] {
      l2_.renew((line.l2 >> 1) - 1, now);
      bits |= uint32_t{HIT} << (CLASS + 3) | uint32_t{HIT} << (CLASS + 6) | servedBy(SERVED_L2);
    } else {
      bits |= missL2(line, id, number, miss);
    }
    at = fillL1<Usual>(line, id, number, store, miss);
  }
  stamps_[at] = now;
  if constexpr (Usual)
    table_[known_.hashOf(number)] = static_cast<uint16_t>(at);
  else
    known_.learn(known_.hashOf(number), at);
  if (line.position != epochs_.NOW) {
    epochs_.see(line, id);
    if (epochs_.isFull()) [[unlikely]]
      endEpoch();
  }
  return {&ways_[at], bits};
}

/// Returns where the line is then.
template <bool Usual>
[[gnu::always_inline]] inline uint32_t LoneCore::fillL1(Line &line, uint32_t id, uint64_t number, bool store,
                                                        LineMiss &miss) {
  const uint32_t ways = Usual ? USUAL_WAYS : eachWays_;
  const unsigned granulesShift = Usual ? USUAL_GRANULES_SHIFT : granulesShift_;
  const uint32_t first = (static_cast<uint32_t>(number) & setMask_) * ways,
                 place = first + leastOf(&stamps_[first + 1], ways), at = place + 1;
  Way &way = ways_[at];
  const uint32_t victim = way.granule >> granulesShift;
  miss.place[0] = place;
  miss.victim[0] = victim;
  miss.left = way.used;
  if (victim) [[likely]] {
    Line &left = lines_[victim];
    left.l1 = stamps_[at];
    if (way.maySkipStore()) { // modified
      if (left.l2)
        left.l2 |= 1;
      else
        totals.writeBacks++;
    }
  }
  line.l1 = at | IN_L1;
  way.tag = number | uint64_t{!store && !(line.l2 & 1)} << 63;
  way.used = 0;
  way.granule = id << granulesShift;
  return at;
}

} // namespace dprof
