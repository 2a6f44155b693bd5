// Stage: replay. Labels per way and unit; one counter per (level, bin, taker, owner) that was met.
#include "counting/takers.h"

#include <algorithm>

namespace dprof {

Takers::Takers(const Machine &machine) : plain_(machine.whole.plain), same_(3 * SetBins::MOST) {
  for (unsigned level = 0; level < 3; level++) {
    const LevelShape &shape = machine.level[level];
    uint32_t cores = level == 0   ? machine.whole.coresPerL1
                     : level == 1 ? machine.whole.coresPerL2
                                  : machine.coresPerLlc,
             units = (machine.cores + cores - 1) / cores;
    levels_[level] = {binPerPlace(shape), shape.lines(), HugeVector<uint32_t>(units * shape.lines())};
  }
}

void Takers::count(const LineEvent &event, uint32_t label) {
  uint32_t &bringer = levels_[event.level].bringer(event.unit, event.place);
  const uint32_t bin = binOf(event.level, event.place);
  switch (event.kind) {
    case LineEvent::INVALIDATED: invalidations_.add(key(event.level, bin, label, bringer)); return;
    case LineEvent::LEFT: return;
    case LineEvent::MOVED: return leave(event.line, bringer);
    case LineEvent::EVICTED: break;
    case LineEvent::FILLED: fills[event.level]++;
  }
  uint32_t owner = bringer;
  if (event.line) evict(event.level, bin, label, owner);
  if (event.kind == LineEvent::FILLED) {
    auto last = std::find_if(left_.rbegin(), left_.rend(), [&](const Left &of) { return of.line == event.filled; });
    bringer = last == left_.rend() ? label : last->label;
  }
  if (event.line) leave(event.line, owner);
}

std::vector<Takers::Row> Takers::rows(const Counts &counts) {
  std::vector<Row> rows;
  counts.each([&](uint64_t key, uint64_t lines) {
    constexpr uint64_t label = (uint64_t{1} << LABEL_BITS) - 1;
    rows.push_back({static_cast<uint32_t>(key >> LABEL_BITS & label), static_cast<uint32_t>(key & label),
                    static_cast<uint8_t>(key >> 62), static_cast<uint8_t>(key >> 2 * LABEL_BITS), lines});
  });
  return rows;
}

} // namespace dprof
