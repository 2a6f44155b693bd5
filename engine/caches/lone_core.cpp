// Stage: replay. A lone core's references that no entry of its table answers: misses, with their class at every level,
// fills and evictions; and the first reference to a line in an epoch. docs/replay/caches.md.
#include "caches/lone_core.h"

#include <algorithm>
#include <bit>

namespace dprof {

using namespace outcome;

LoneCore::LoneCore(const Machine &machine, KnownLines &known)
    : granulesShift_(machine.lineShift - PageMap::granuleShift), sets_(machine.level[0].sets),
      eachWays_(machine.level[0].ways), known_(known), table_(known.table.data()), ways_(known.ways.data()),
      stamps_(known.stamps.data()),
      epochs_({machine.level[0].lines(), machine.level[1].lines(), machine.level[2].lines()}), l2_(machine.level[1]),
      llc_(machine.level[2]),
      crowded_{CrowdedSets(machine.level[0]), CrowdedSets(machine.level[1]), CrowdedSets(machine.level[2])},
      pages_(machine.lineShift) {}

LoneCore::Found LoneCore::find(uint64_t number, bool store, std::vector<LineMiss> &misses) {
  if (epochs_.isFull()) [[unlikely]]
    endEpoch();
  const uint32_t id = idOf(number);
  Line &line = lines_[id];
  uint32_t bits = outcome::PLAIN | uint32_t{store};
  if (!line.isInL1()) bits = miss(line, id, number, store, misses);
  const uint32_t way = line.l1 & ~IN_L1;
  if (line.position != epochs_.NOW) epochs_.see(lines_.data(), id);
  ways_[way].tag &= ~(uint64_t{store} << 63);
  stamps_[way] = ++known_.clock;
  known_.learn(known_.hashOf(number), way);
  return {bits, way};
}

/// The class of a miss at a level, and DProf's rule.
[[gnu::always_inline]] inline uint32_t LoneCore::missAt(unsigned level, uint32_t position, uint64_t number) {
  static_assert(COMPULSORY == 0 && CONFLICT + 1 == CAPACITY);
  totals.misses[level]++;
  const uint32_t kind = position == 0 ? COMPULSORY : CAPACITY - uint32_t{epochs_.holds(level, position)};
  return kind << (CLASS + 3 * level) | crowded_[level].rule(number) << (RULE + 2 * level);
}

constexpr uint32_t servedBy(uint32_t server) { return withLatency(server << SERVER, server, true); }

[[gnu::always_inline]] inline uint32_t LoneCore::miss(Line &line, uint32_t id, uint64_t number, bool store,
                                                      std::vector<LineMiss> &misses) {
  LineMiss &miss = misses.emplace_back();
  const uint32_t position = line.position;
  if (position == 0)
    for (CrowdedSets &level : crowded_) level.add(number);
  uint32_t bits = uint32_t{store} | missAt(0, position, number);
  if (line.l2 > 1) {
    l2_.renew(number, (line.l2 >> 1) - 1);
    bits |= uint32_t{HIT} << (CLASS + 3) | uint32_t{HIT} << (CLASS + 6) | servedBy(SERVED_L2);
  } else {
    bits |= missAt(1, position, number);
    if (line.llc) {
      llc_.renew(number, line.llc - 1);
      bits |= uint32_t{HIT} << (CLASS + 6) | servedBy(SERVED_LLC);
    } else {
      bits |= missAt(2, position, number) | servedBy(SERVED_MEMORY);
      miss.place[2] = llc_.fill(number, id, miss.victim[2]);
      line.llc = miss.place[2] + 1;
      if (miss.victim[2]) lines_[miss.victim[2]].llc = 0;
    }
    miss.place[1] = l2_.fill(number, id, miss.victim[1]);
    line.l2 = (miss.place[1] + 1) << 1;
    if (miss.victim[1]) {
      Line &left = lines_[miss.victim[1]];
      if (!left.isInL1()) totals.writeBacks += left.l2 & 1;
      left.l2 = 0;
    }
  }
  fillL1(line, id, number, miss);
  return bits;
}

inline void LoneCore::fillL1(Line &line, uint32_t id, uint64_t number, LineMiss &miss) {
  const uint32_t first = (static_cast<uint32_t>(number) & (sets_ - 1)) * eachWays_,
                 place = first + leastOf(&stamps_[first + 1], eachWays_);
  Way &way = ways_[place + 1];
  miss.place[0] = place;
  if (way.granule) {
    miss.victim[0] = lineOf(way);
    miss.left = way.used;
    Line &left = lines_[miss.victim[0]];
    const uint32_t isModified = way.maySkipStore();
    left.l1 = stamps_[place + 1];
    if (left.l2)
      left.l2 = (left.l2 & ~1u) | isModified;
    else
      totals.writeBacks += isModified;
  }
  line.l1 = (place + 1) | IN_L1;
  way = {line.l2 & 1 ? number : number | NO_STORE, 0, id << granulesShift_};
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
void LoneCore::endEpoch() {
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
  const uint32_t ways = eachWays_;
  for (size_t set = 1; set < known_.stamps.size(); set += ways) {
    std::vector<uint32_t> before(known_.stamps.begin() + static_cast<ptrdiff_t>(set),
                                 known_.stamps.begin() + static_cast<ptrdiff_t>(set + ways));
    for (uint32_t way = 0; way < ways; way++)
      if (before[way])
        known_.stamps[set + way] =
            1 + static_cast<uint32_t>(std::count_if(before.begin(), before.end(),
                                                    [&](uint32_t other) { return other && other < before[way]; }));
  }
  known_.clock = ways;
}

std::vector<const LoneCore::Way *> LoneCore::held() const {
  std::vector<const Way *> found;
  for (const Way &way : known_.ways)
    if (way.granule) found.push_back(&way);
  std::sort(found.begin(), found.end(), [](const Way *a, const Way *b) { return a->granule < b->granule; });
  return found;
}

} // namespace dprof
