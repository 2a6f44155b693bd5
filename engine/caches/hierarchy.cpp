// Stage: replay. Misses: class at every level, fills and evictions, coherence. docs/replay/caches.md.
#include "caches/hierarchy.h"

#include <algorithm>
#include <bit>

namespace dprof {

using namespace outcome;

Hierarchy::Core::Core(const Machine &m, uint32_t number)
    : log({m.level[0].lines(), m.level[1].lines()}), l1(m.level[0]), l2(m.level[1]), number(number),
      group(number / m.coresPerLlc) {
  for (unsigned i = 0; i < 2; i++) distinct[i].resize(m.level[i].sets);
}

Hierarchy::Group::Group(const Machine &m) : log({m.level[2].lines()}), llc(m.level[2]), distinct(m.level[2].sets) {}

Hierarchy::Hierarchy(const Machine &machine, bool tellsAll)
    : sharing(machine.cores, (machine.cores + machine.coresPerLlc - 1) / machine.coresPerLlc, machine.coresPerLlc,
              1u << machine.lineShift),
      machine_(machine), tellsAll_(tellsAll), linesShift_(PageMap::pageShift - machine.lineShift) {
  for (uint32_t i = 0; i < machine.cores; i++) cores_.push_back(std::make_unique<Core>(machine, i));
  for (uint32_t i = 0; i * machine.coresPerLlc < machine.cores; i++)
    groups_.push_back(std::make_unique<Group>(machine));
}

void Hierarchy::addPage(uint64_t page) {
  pages_.push_back(page);
  if (pages_.size() << linesShift_ <= lineCount_) return;
  lineCount_ = static_cast<uint32_t>(
      std::min<uint64_t>(std::max<uint64_t>(256 << linesShift_, uint64_t{lineCount_} * 2), NO_INDEX));
  for (auto &core : cores_) core->lines.grow(lineCount_);
  for (auto &group : groups_) group->lines.grow(lineCount_);
  cross_.grow(lineCount_);
}

uint64_t Hierarchy::groupMask(uint32_t group) const {
  uint64_t mask = 0;
  for (uint32_t i = group * machine_.coresPerLlc; i < machine_.cores && i / machine_.coresPerLlc == group; i++)
    mask |= uint64_t{1} << i;
  return mask;
}

uint32_t Hierarchy::miss(Core &core, uint32_t id, bool store, uint32_t first, uint32_t length) {
  CoreLine &line = core.lines[id];
  LineMiss &miss = misses->append() = {};
  uint64_t number = lineNumber(id);
  uint64_t otherStores = 0;
  uint32_t base = HIT;
  if (line.position == 0) {
    base = COMPULSORY;
    meet(core, number);
  }
  otherStores = cross_[id].storedBy & ~(uint64_t{1} << core.number);
  if (base == HIT && cross_[id].shared) base = sharing.classify(cross_[id].shared, core.number, first, length);
  auto missAt = [&](unsigned level) {
    totals.misses[level]++;
    uint32_t kind = base != HIT ? base : core.log.holds(level, line.position) ? CONFLICT : CAPACITY;
    return kind << (CLASS + 3 * level) | uint32_t{base == COMPULSORY && otherStores} << (SHARED + level) |
           ruleOf(otherStores, core.distinct[level], core.distinctAll, level, number) << (RULE + 2 * level);
  };
  uint32_t bits = uint32_t{store} | missAt(0);
  uint32_t server = SERVED_L2, victim;
  if (line.l2Place) {
    core.l2.renew(number, line.l2Place - 1);
    bits |= uint32_t{HIT} << (CLASS + 3) | uint32_t{HIT} << (CLASS + 6);
  } else {
    bits |= missAt(1);
    bits = missLlc(core, id, number, first, length, bits, miss);
    server = missClass(bits, 2) == HIT ? SERVED_LLC : SERVED_MEMORY;
    uint64_t others = cross_[id].holders; // not this core: the line is in neither of its levels
    if (std::has_single_bit(others)) {
      CoreLine &owner = cores_[std::countr_zero(others)]->lines[id];
      if (owner.modified) {
        server = SERVED_CACHE;
        if (!store) {
          owner.modified = 0;
          totals.writeBacks++;
        }
      }
    }
    uint32_t place = core.l2.fill(number, id, victim);
    line.l2Place = place + 1;
    miss.place[1] = place;
    miss.victim[1] = victim;
    if (victim) {
      core.lines[victim].l2Place = 0;
      if (!core.lines[victim].inL1) leave(core, victim);
    }
  }
  miss.place[0] = core.l1.fill(number, id, core.lines.data(), victim);
  miss.victim[0] = victim;
  line.inL1 = 1;
  line.used = 0;
  if (victim) {
    CoreLine &left = core.lines[victim];
    miss.left = left.used;
    left.inL1 = 0;
    if (!left.l2Place) leave(core, victim);
  }
  cross_[id].holders |= uint64_t{1} << core.number;
  return withLatency(bits | server << SERVER, server, true);
}

uint32_t Hierarchy::missLlc(Core &core, uint32_t id, uint64_t number, uint32_t first, uint32_t length, uint32_t bits,
                            LineMiss &miss) {
  Group &group = *groups_[core.group];
  GroupLine &line = group.lines[id];
  uint32_t position = line.position;
  if (position == 0) meet(group, number);
  if (line.llcPlace) {
    group.llc.renew(number, line.llcPlace - 1);
    return bits | uint32_t{HIT} << (CLASS + 6);
  }
  totals.misses[2]++;
  uint64_t outsideStores = 0;
  uint32_t kind = HIT;
  if (position == 0) kind = COMPULSORY;
  if (groups_.size() > 1) {
    outsideStores = cross_[id].storedBy & ~groupMask(core.group);
    if (kind == HIT && cross_[id].shared)
      kind = sharing.classify(cross_[id].shared, machine_.cores + core.group, first, length);
  }
  bool shared = kind == COMPULSORY && outsideStores;
  if (kind == HIT) kind = group.log.holds(0, position) ? CONFLICT : CAPACITY;
  uint32_t victim;
  uint32_t place = group.llc.fill(number, id, victim);
  line.llcPlace = place + 1;
  miss.place[2] = place;
  miss.victim[2] = victim;
  if (victim) group.lines[victim].llcPlace = 0;
  return bits | kind << (CLASS + 6) | uint32_t{shared} << (SHARED + 2) |
         ruleOf(outsideStores, group.distinct, group.distinctAll, 2, number) << (RULE + 4);
}

/// The line is in neither private level of the core any more.
void Hierarchy::leave(Core &core, uint32_t id) {
  CoreLine &line = core.lines[id];
  totals.writeBacks += line.modified;
  line.modified = 0;
  cross_[id].holders &= ~(uint64_t{1} << core.number);
}

void Hierarchy::takeForStore(Core &core, uint32_t id, bool hit) {
  CrossLine &cross = cross_[id];
  uint64_t self = uint64_t{1} << core.number;
  uint64_t others = cross.holders & ~self;
  uint64_t number = lineNumber(id);
  if (others && hit) totals.upgrades++;
  for (; others; others &= others - 1) invalidate(*cores_[std::countr_zero(others)], id, number);
  cross.holders = self;
  cross.storedBy |= self;
  if (groups_.size() == 1) return;
  for (uint32_t i = 0; i < groups_.size(); i++) {
    GroupLine &line = groups_[i]->lines[id];
    if (i == core.group || line.llcPlace == 0) continue;
    if (tellsAll_) tell(LineEvent::LEFT, 2, i, line.llcPlace - 1, id);
    groups_[i]->llc.remove(number, line.llcPlace - 1);
    line.llcPlace = 0;
  }
}

void Hierarchy::invalidate(Core &core, uint32_t id, uint64_t number) {
  CoreLine &line = core.lines[id];
  if (line.l2Place) {
    if (!line.inL1)
      tell(LineEvent::INVALIDATED, 1, core.number, line.l2Place - 1, id);
    else if (tellsAll_)
      tell(LineEvent::LEFT, 1, core.number, line.l2Place - 1, id);
    core.l2.remove(number, line.l2Place - 1);
  }
  if (line.inL1) tell(LineEvent::INVALIDATED, 0, core.number, core.l1.remove(number, id), id);
  line.inL1 = line.l2Place = line.modified = 0;
  totals.invalidations++;
}

} // namespace dprof
