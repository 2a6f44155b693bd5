// Stage: replay. One counter per (level, bin, taker, owner) that was met.
#include "counting/takers.h"

#include <algorithm>

namespace dprof {

Takers::Takers(const Machine &machine) : plain_(machine.whole.plain), lately_(PAIRS * 3 * SetBins::MOST) {
  for (unsigned level = 0; level < 3; level++) binPerPlace_[level] = binPerPlace(machine.level[level]);
}

/// The line has another label than the one before, there was none, or the place has counted its most.
void Takers::fillOther(unsigned level, uint32_t place, Bringer &bringer, uint32_t victim, uint32_t label) {
  if (victim && bringer.label() == label) return addSame(level, place, label, Bringer::MOST_SAME);
  passSame(level, place, bringer);
  fill(level, place, label, victim ? bringer.label() : Labels::NONE);
  bringer.bring(label);
}

void Takers::count(const LineEvent &event, Bringer &bringer, uint32_t label) {
  auto keyOf = [&](uint32_t owner) { return key(event.level, binOf(event.level, event.place), label, owner); };
  const uint32_t owner = bringer.label();
  switch (event.kind) {
    case LineEvent::INVALIDATED: return invalidations_.add(keyOf(owner));
    case LineEvent::LEFT: return;
    case LineEvent::MOVED: break;
    case LineEvent::EVICTED:
      if (event.line) evictions_.add(keyOf(owner));
      break;
    case LineEvent::FILLED: {
      passSame(event.level, event.place, bringer);
      fill(event.level, event.place, label, event.line ? owner : Labels::NONE);
      auto last = std::find_if(left_.rbegin(), left_.rend(), [&](const Left &of) { return of.line == event.filled; });
      bringer.bring(last == left_.rend() ? label : last->label);
      if (!event.line) return;
    }
  }
  left_.push_back({event.line, owner});
}

std::vector<Takers::Row> Takers::evictions() const {
  Counts all = evictions_;
  fills_.each([&](uint64_t key, uint64_t lines) {
    if (ownerOf(key) != Labels::NONE) all.add(key, lines);
  });
  return rows(all);
}

std::vector<Takers::Row> Takers::fills() const {
  Counts all;
  fills_.each([&](uint64_t key, uint64_t lines) { all.add(key | Labels::NONE, lines); });
  return rows(all);
}

Takers::Totals Takers::totals() const {
  Totals totals;
  for (const Row &row : fills()) totals.fills[row.level] += row.lines;
  for (const Row &row : evictions()) totals.evictions[row.level] += row.lines;
  return totals;
}

std::vector<Takers::Row> Takers::rows(const Counts &counts) {
  std::vector<Row> rows;
  counts.each([&](uint64_t key, uint64_t lines) {
    rows.push_back({static_cast<uint32_t>(key >> LABEL_BITS & Labels::NONE), ownerOf(key),
                    static_cast<uint8_t>(key >> 62), static_cast<uint8_t>(key >> 2 * LABEL_BITS), lines});
  });
  return rows;
}

} // namespace dprof
