// Stage: replay. Labels per way and unit; one counter per (level, bin, taker, owner) that was met.
#include "takers.h"

#include <algorithm>

namespace dprof {

constexpr uint32_t MOST_SET_BINS = 256; // as src/replay/result.ts has it
constexpr unsigned LABEL_BITS = 27;
static_assert(Takers::MOST_LABELS == 1u << LABEL_BITS);

Takers::Takers(const Machine &machine) : plain_(machine.whole.plain), same_(3 * MOST_SET_BINS) {
  for (unsigned level = 0; level < 3; level++) {
    const LevelShape &shape = machine.level[level];
    uint32_t cores = level == 0 ? machine.whole.coresPerL1 : level == 1 ? machine.whole.coresPerL2 : machine.coresPerLlc, units = (machine.cores + cores - 1) / cores;
    levels_[level] = {static_cast<uint32_t>((shape.sets + MOST_SET_BINS - 1) / MOST_SET_BINS * shape.ways),
                      std::vector<std::vector<uint32_t>>(units, std::vector<uint32_t>(shape.lines()))};
  }
}

uint64_t Takers::key(const LineEvent &event, uint32_t taker, uint32_t owner) const {
  const Level &level = levels_[event.level];
  uint64_t bin = event.place / level.placesPerBin;
  return uint64_t{event.level} << 62 | bin << 2 * LABEL_BITS | uint64_t{taker} << LABEL_BITS | owner;
}

void Takers::count(const LineEvent &event, uint32_t label) {
  uint32_t &bringer = levels_[event.level].bringers[event.unit][event.place];
  switch (event.kind) {
  case LineEvent::INVALIDATED: invalidations_.add(key(event, label, bringer)); return;
  case LineEvent::MOVED: return leave(event.line, bringer);
  case LineEvent::EVICTED: break;
  case LineEvent::FILLED: fills[event.level]++;
  }
  uint32_t owner = bringer;
  if (event.line) {
    evicted[event.level]++;
    uint64_t of = key(event, label, owner);
    Same &same = same_[event.level * MOST_SET_BINS + (of >> 2 * LABEL_BITS & (MOST_SET_BINS - 1))];
    if (same.key == of) same.lines++;
    else pass(same, of, 1);
  }
  if (plain_) {
    bringer = label; // nothing is evicted but by a fill
    return;
  }
  if (event.kind == LineEvent::FILLED) {
    auto last = std::find_if(left_.rbegin(), left_.rend(), [&](const Left &of) { return of.line == event.filled; });
    bringer = last == left_.rend() ? label : last->label;
  }
  if (event.line) leave(event.line, owner);
}

std::vector<Takers::Row> Takers::rows(const Counts &counts) {
  std::vector<Row> rows;
  counts.each([&](uint64_t key, uint64_t lines) {
    constexpr uint64_t label = MOST_LABELS - 1;
    rows.push_back({static_cast<uint32_t>(key >> LABEL_BITS & label), static_cast<uint32_t>(key & label), static_cast<uint8_t>(key >> 62),
                    static_cast<uint8_t>(key >> 2 * LABEL_BITS), lines});
  });
  return rows;
}

} // namespace dprof
