// Stage: replay. What a lone core seldom does: misses of its L2, pages that are touched for the first time, the end of
// an epoch.
#include "caches/lone_misses.h"

#include <algorithm>
#include <bit>

namespace dprof {

using namespace outcome;

LoneCore::LoneCore(const Machine &machine, KnownLines &known)
    : isUsual(machine.lineShift == PageMap::pageShift - USUAL_LINES_SHIFT && machine.level[0].ways == USUAL_WAYS &&
              machine.level[0].lines() <= KnownLines::MOST_WAY),
      granulesShift_(machine.lineShift - PageMap::granuleShift), setMask_(machine.level[0].sets - 1),
      eachWays_(machine.level[0].ways), known_(known), table_(known.table.data()), ways_(known.ways.data()),
      stamps_(known.stamps.data()),
      epochs_({machine.level[0].lines(), machine.level[1].lines(), machine.level[2].lines()}), l2_(machine.level[1]),
      llc_(machine.level[2]),
      crowded_{CrowdedSets(machine.level[0], 0), CrowdedSets(machine.level[1], 1), CrowdedSets(machine.level[2], 2)},
      pages_(machine.lineShift) {}

DPROF_WIDE LoneCore::Found LoneCore::findUsual(uint64_t number, bool store, Appended<LineMiss> &misses) {
  return findHere<true>(number, store, misses);
}

DPROF_WIDE LoneCore::Found LoneCore::findOther(uint64_t number, bool store, Appended<LineMiss> &misses) {
  return findHere<false>(number, store, misses);
}

/// No reference to the line before.
void LoneCore::meetFirst(uint64_t number) {
  for (CrowdedSets &level : crowded_) level.add(number);
}

/// The line comes from the LLC, or from memory.
DPROF_WIDE uint32_t LoneCore::missL2(Line &line, uint32_t id, uint64_t number, LineMiss &miss) {
  const uint32_t position = line.position, now = known_.clock;
  uint32_t bits = missAt(1, position, number);
  if (line.llc) {
    llc_.renew(line.llc - 1, now);
    bits |= uint32_t{HIT} << (CLASS + 6) | servedBy(SERVED_LLC);
  } else {
    bits |= missAt(2, position, number) | servedBy(SERVED_MEMORY);
    const StampedSets::Filled filled = llc_.fill(number, id, now);
    miss.place[2] = filled.place;
    miss.victim[2] = filled.victim;
    line.llc = filled.stamp + 1;
    if (filled.victim) lines_[filled.victim].llc = 0;
  }
  const StampedSets::Filled filled = l2_.fill(number, id, now);
  miss.place[1] = filled.place;
  miss.victim[1] = filled.victim;
  line.l2 = (filled.stamp + 1) << 1;
  if (filled.victim) {
    Line &left = lines_[filled.victim];
    if (!left.isInL1()) totals.writeBacks += left.l2 & 1;
    left.l2 = 0;
  }
  return bits;
}

uint32_t LoneCore::addPage(uint64_t page) {
  const uint32_t frame = pages_.add(page);
  newPages->push_back(page);
  if (pages_.pages.size() << pages_.linesShift <= lineCount_) return frame;
  lineCount_ = static_cast<uint32_t>(
      std::min<uint64_t>(std::max<uint64_t>(256 << pages_.linesShift, uint64_t{lineCount_} * 2), NO_INDEX));
  lines_.grow(lineCount_);
  return frame;
}

void LoneCore::beginBatch() {
  if (known_.clock > LAST_CLOCK) endEpoch();
}

/// The lines of the epoch are not known any more. Of those that have left the L1 the table may keep its entries: such a
/// line comes back by a miss, which makes another one.
DPROF_WIDE void LoneCore::endEpoch() {
  known_.epoch++;
  epochs_.end(lines_.data(), lineCount_, [&](const Line &line) {
    if (!line.isInL1()) return line.l1;
    const uint32_t way = line.l1 & ~IN_L1;
    table_[known_.hashOf(ways_[way].tag & ~NO_STORE)] = 0;
    return stamps_[way];
  });
  if (known_.clock > LAST_CLOCK) restamp();
}

/// Between epochs only the order of stamps in a set matters.
void LoneCore::restamp() {
  for (size_t set = 1; set < known_.stamps.size(); set += eachWays_) rankStamps(&known_.stamps[set], eachWays_);
  l2_.restamp();
  llc_.restamp();
  known_.clock = std::max({eachWays_, l2_.ways(), llc_.ways()});
}

std::vector<const LoneCore::Way *> LoneCore::held() const {
  std::vector<const Way *> found;
  for (const Way &way : known_.ways)
    if (way.granule) found.push_back(&way);
  std::sort(found.begin(), found.end(), [](const Way *a, const Way *b) { return a->granule < b->granule; });
  return found;
}

} // namespace dprof
