// Stage: replay. docs/replay/caches.md, "Whole machines", as src/sim/hierarchy.ts has it; `reference` follows its
// numbering.
#include "caches/whole_hierarchy.h"

#include "base/no_index.h"

#include <bit>

namespace dprof {

using namespace outcome;

static uint64_t bit(uint32_t number) { return uint64_t{1} << number; }

template <typename Visit> static void eachBit(uint64_t mask, Visit visit) {
  for (; mask; mask &= mask - 1) visit(static_cast<uint32_t>(std::countr_zero(mask)));
}

WholeHierarchy::WholeHierarchy(const Machine &m, CacheSink *sink) : machine_(m), sink_(sink), pages_(m.lineShift) {
  const WholeOptions &whole = m.whole;
  for (uint32_t i = 0; i < m.cores; i++)
    cores_.push_back({i / whole.coresPerL1, i / whole.coresPerL2, i / m.coresPerLlc, i / whole.coresPerSocket});
  const uint32_t counts[3] = {cores_.back().l1 + 1, cores_.back().domain + 1, cores_.back().llc + 1};
  for (unsigned level = 0; level < 3; level++) {
    unitOfL1_[level].resize(counts[0]);
    for (uint32_t i = 0; i < counts[level]; i++) units_[level].push_back(std::make_unique<Unit>(m, level, i));
  }
  l1sOfDomain_.resize(counts[1]);
  llcOfDomain_.resize(counts[1]);
  socketOfDomain_.resize(counts[1]);
  l1sOfLlc_.resize(counts[2]);
  domainsOfLlc_.resize(counts[2]);
  domainOfL1_.resize(counts[0]);
  for (uint32_t i = m.cores; i-- > 0;) { // the first core of a unit says last
    const Core &core = cores_[i];
    const uint32_t unit[3] = {core.l1, core.domain, core.llc};
    for (unsigned level = 0; level < 3; level++) {
      unitOfL1_[level][core.l1] = unit[level];
      units_[level][unit[level]]->l1Units |= bit(core.l1);
    }
    l1sOfDomain_[core.domain] |= bit(core.l1);
    l1sOfLlc_[core.llc] |= bit(core.l1);
    domainsOfLlc_[core.llc] |= bit(core.domain);
    llcOfDomain_[core.domain] = core.llc;
    socketOfDomain_[core.domain] = core.socket;
    domainOfL1_[core.l1] = core.domain;
  }
  if (whole.tlb[0].sets) tlbs_.assign(counts[0], Tlb(whole.tlb));
  for (unsigned level = 0; level < 2; level++)
    prefetchers_.emplace_back(whole.level[level].prefetchers, counts[0], m.lineShift);
  foreign_ = std::make_unique<ForeignStores>(unitOfL1_, counts, 1u << m.lineShift);
}

uint32_t WholeHierarchy::reference(uint32_t number, uint32_t slot, uint64_t address, uint32_t length, bool store) {
  const Core &core = cores_[number];
  const uint32_t id = idOf(address, core.socket);
  const uint64_t place = placeOf(id);
  uint32_t tlb = 0;
  if (!tlbs_.empty()) {
    tlb = tlbs_[core.l1].reference(address >> machine_.whole.pageShift);
    for (uint32_t level = 0; level < tlb; level++) totals.tlbMisses[level]++;
  }
  prefetches_ = 0;
  line_ = id;
  WholeCache &l1 = cache(0, core.l1);
  bool hit = l1.holds(lines_[id]);
  uint32_t missed = 0, server = SERVED_L1;
  if (hit) {
    if (l1.reference(id, place)) prefetches_ |= PREFETCH_HIT;
  } else {
    missed = fetchForL1(core, id, store);
    server = supplier_;
    fill(0, core.l1, id);
  }
  if (store) {
    uint32_t holders = removeFromOthers(core, id);
    totals.invalidations += holders;
    totals.upgrades += hit && holders;
    lines_[id].modifiedBy = static_cast<uint8_t>(core.domain + 1);
  }
  uint32_t bits =
      classify(core, id, missed, static_cast<uint32_t>(address) & ((1u << machine_.lineShift) - 1), length, store);
  prefetch(core, missed, slot, address);
  if (prefetches_) prefetches_ |= PREFETCHES;
  return withLatency(bits | uint32_t{store} | server << SERVER | tlb << TLB, server, missed, tlb);
}

WholeHierarchy::Prefetched WholeHierarchy::prefetched(unsigned level) const {
  Prefetched sum{};
  for (const auto &unit : units_[level]) {
    sum.issued += unit->cache.issued;
    sum.useful += unit->cache.useful;
    sum.useless += unit->cache.countUseless();
  }
  return sum;
}

void WholeHierarchy::restartTotals() {
  totals = {};
  for (auto &units : units_)
    for (auto &unit : units) unit->cache.restartTotals();
}

// -- pages

uint32_t WholeHierarchy::idOf(uint64_t address, uint32_t socket) {
  uint32_t frame = pages_.frameOf(PageMap::pageOf(address), [&](uint64_t page) { return addFrame(page, socket); });
  return pages_.lineOf(PageMap::granule(frame, address));
}

uint32_t WholeHierarchy::addFrame(uint64_t page, uint32_t socket) {
  const WholeOptions &whole = machine_.whole;
  const unsigned framesShift = whole.pageShift - PageMap::pageShift; // of the machine's page
  uint32_t frame = pages_.add(page);
  const Page &of =
      machinePages_.try_emplace(page >> framesShift, Page{static_cast<uint32_t>(machinePages_.size()), socket})
          .first->second;
  uint64_t physical = whole.colouring == Colouring::VIRTUAL       ? page >> framesShift
                      : whole.colouring == Colouring::FIRST_TOUCH ? of.number
                                                                  : mix(whole.seed, of.number) % PHYSICAL_PAGES;
  frames_.push_back(
      {(physical << framesShift | (page & ((uint64_t{1} << framesShift) - 1))) << pages_.linesShift, of.home});
  if (uint64_t{frame + 1} << pages_.linesShift > lineCount_) {
    lineCount_ = static_cast<uint32_t>(
        std::min<uint64_t>(std::max<uint64_t>(256 << pages_.linesShift, uint64_t{lineCount_} * 2), NO_INDEX));
    lines_.grow(lineCount_);
    for (auto &level : units_)
      for (auto &unit : level) unit->positions.grow(lineCount_);
  }
  return frame;
}

// -- fetching: returns how many levels missed

uint32_t WholeHierarchy::fetchForL1(const Core &core, uint32_t id, bool store) {
  WholeCache &l2 = cache(1, core.domain);
  if (l2.holds(lines_[id])) {
    if (l2.reference(id, placeOf(id))) prefetches_ |= PREFETCH_HIT << 1;
    if (isExclusive(1)) l2.remove(lines_.data(), id, placeOf(id), sink_, CacheSink::MOVED);
    supplier_ = SERVED_L2;
    return 1;
  }
  uint32_t missed = fetchForL2(core, id, store);
  if (!isExclusive(1)) fill(1, core.domain, id);
  return missed;
}

uint32_t WholeHierarchy::fetchForL2(const Core &core, uint32_t id, bool store) {
  WholeCache &llc = cache(2, core.llc);
  bool hit = llc.holds(lines_[id]);
  if (hit) {
    llc.touch(id, placeOf(id));
    if (isExclusive(2)) llc.remove(lines_.data(), id, placeOf(id), sink_, CacheSink::MOVED);
  }
  supplier_ = supply(core, id, store, hit);
  lines_[id].forwarder = static_cast<uint8_t>(core.domain + 1);
  if (!hit && !isExclusive(2)) fill(2, core.llc, id);
  return hit ? 2 : 3;
}

/// Finds the server that answers a miss of the L2.
uint32_t WholeHierarchy::supply(const Core &core, uint32_t id, bool store, bool llcHit) {
  WholeLine &line = lines_[id];
  auto cacheOf = [&](uint32_t domain) {
    return socketOfDomain_[domain] == core.socket ? SERVED_CACHE : SERVED_REMOTE_CACHE;
  };
  if (line.modifiedBy) {
    uint32_t owner = line.modifiedBy - 1u;
    if (owner != core.domain && !store && machine_.whole.protocol != Protocol::MOESI) {
      line.modifiedBy = 0;
      totals.writeBacks++;
    }
    return cacheOf(owner);
  }
  if (llcHit) return SERVED_LLC;
  if (machine_.whole.protocol == Protocol::MESIF && line.forwarder) {
    uint32_t forwarder = line.forwarder - 1u;
    if (forwarder != core.domain && isInDomain(line, forwarder)) return cacheOf(forwarder);
  }
  return frames_[id >> pages_.linesShift].home == core.socket ? SERVED_MEMORY : SERVED_REMOTE_MEMORY;
}

// -- leaving

void WholeHierarchy::fill(unsigned level, uint32_t unit, uint32_t id, bool prefetch) {
  uint32_t victim = cache(level, unit).fill(lines_.data(), id, placeOf(id), sink_, prefetch);
  if (!victim) return;
  if (level == 0)
    leaveL1(domainOfL1_[unit], victim);
  else if (level == 1)
    leaveL2(unit, victim);
  else
    leaveLlc(unit, victim);
}

void WholeHierarchy::leaveL1(uint32_t domain, uint32_t id) {
  if (isExclusive(1) && !(lines_[id].holders[0] & l1sOfDomain_[domain])) fill(1, domain, id);
  leaveDomain(domain, id);
}

void WholeHierarchy::leaveL2(uint32_t domain, uint32_t id) {
  if (isInclusive(1)) removeFromL1s(domain, id);
  leaveDomain(domain, id);
}

void WholeHierarchy::leaveLlc(uint32_t group, uint32_t id) {
  if (!isInclusive(2)) return;
  eachBit(domainsOfLlc_[group], [&](uint32_t domain) {
    removeFromL1s(domain, id);
    totals.backInvalidations += cache(1, domain).remove(lines_.data(), id, placeOf(id), sink_, CacheSink::EVICTED);
    leaveDomain(domain, id);
  });
}

void WholeHierarchy::leaveDomain(uint32_t domain, uint32_t id) {
  WholeLine &line = lines_[id];
  if (isInDomain(line, domain)) return;
  if (line.modifiedBy == domain + 1) {
    line.modifiedBy = 0;
    totals.writeBacks++;
  }
  uint32_t group = llcOfDomain_[domain];
  if (!isExclusive(2) || line.holders[0] & l1sOfLlc_[group] || line.holders[1] & domainsOfLlc_[group]) return;
  if (WholeCache &llc = cache(2, group); llc.holds(line))
    llc.touch(id, placeOf(id));
  else
    fill(2, group, id);
}

void WholeHierarchy::removeFromL1s(uint32_t domain, uint32_t id) {
  eachBit(lines_[id].holders[0] & l1sOfDomain_[domain], [&](uint32_t l1) {
    totals.backInvalidations += cache(0, l1).remove(lines_.data(), id, placeOf(id), sink_, CacheSink::EVICTED);
  });
}

/// How many other L1 units had the line, in their L1 or in an L2 that the core does not use.
uint32_t WholeHierarchy::removeFromOthers(const Core &core, uint32_t id) {
  const uint64_t(&holders)[3] = lines_[id].holders;
  uint64_t l2s = holders[1] & ~bit(core.domain), had = holders[0] & ~bit(core.l1);
  const uint64_t inL1 = had, llcs = holders[2] & ~bit(core.llc);
  auto remove = [&](unsigned level, uint32_t unit, uint32_t times) {
    cache(level, unit).remove(lines_.data(), id, placeOf(id), sink_, CacheSink::INVALIDATED, times);
  };
  eachBit(inL1, [&](uint32_t unit) { remove(0, unit, 1); });
  eachBit(l2s, [&](uint32_t domain) {
    remove(1, domain, static_cast<uint32_t>(std::popcount(l1sOfDomain_[domain] & ~inL1)));
    had |= l1sOfDomain_[domain];
  });
  eachBit(llcs, [&](uint32_t unit) { remove(2, unit, 0); });
  return static_cast<uint32_t>(std::popcount(had));
}

// -- classes

uint32_t WholeHierarchy::classify(const Core &core, uint32_t id, unsigned missed, uint32_t first, uint32_t length,
                                  bool store) {
  WholeLine &line = lines_[id];
  const uint32_t units[3] = {core.l1, core.domain, core.llc};
  uint32_t bits = 0;
  for (unsigned level = 0; level < 3; level++) {
    Unit &unit = *units_[level][units[level]];
    uint32_t position = unit.positions[id].position;
    uint64_t set = unit.cache.setOf(placeOf(id));
    if (position == 0) {
      unit.distinct[set]++;
      unit.distinctAll++;
    }
    uint32_t kind = HIT;
    if (level < missed) {
      totals.misses[level]++;
      bool storedByOthers = line.storedBy & ~unit.l1Units;
      if (position == 0)
        kind = COMPULSORY;
      else if (line.foreign)
        kind = foreign_->classify(line.foreign, level, core.l1, first, length);
      if (kind == HIT) kind = unit.log.holds(0, position) ? CONFLICT : CAPACITY;
      uint64_t lines = unit.distinct[set], sets = unit.cache.sets;
      bool crowded = lines > unit.cache.ways && lines * (sets - 1) > 2 * (unit.distinctAll - lines);
      uint32_t rule = storedByOthers ? RULE_INVALIDATION : crowded ? RULE_CONFLICT : RULE_CAPACITY;
      bits |= uint32_t{position == 0 && storedByOthers} << (SHARED + level) | rule << (RULE + 2 * level);
    }
    bits |= kind << (CLASS + 3 * level);
    unit.log.touch(unit.positions.data(), id, lineCount_);
  }
  line.referencedBy |= bit(core.l1);
  if (line.foreign)
    foreign_->seen(line.foreign, core.l1);
  else if (!std::has_single_bit(line.referencedBy))
    line.foreign = foreign_->create();
  if (store) {
    line.storedBy |= bit(core.l1);
    if (line.foreign) foreign_->store(line.foreign, core.l1, first, length);
  }
  return bits;
}

// -- prefetches

void WholeHierarchy::prefetch(const Core &core, unsigned missed, uint32_t slot, uint64_t address) {
  const unsigned pageShift = machine_.whole.pageShift;
  for (unsigned level = 0; level <= std::min(missed, 1u); level++) {
    uint32_t issued = 0;
    prefetchers_[level].ask(core.l1, slot, address, missed > level, [&](uint64_t wanted) {
      if (wanted >> (pageShift - machine_.lineShift) != address >> pageShift) return;
      issued += prefetchInto(level, core, idOf(wanted << machine_.lineShift, core.socket));
    });
    prefetches_ |= issued << (PREFETCH_ISSUED + 4 * level);
  }
}

bool WholeHierarchy::prefetchInto(unsigned level, const Core &core, uint32_t id) {
  const WholeLine &line = lines_[id];
  WholeCache &l2 = cache(1, core.domain);
  if (line.modifiedBy && line.modifiedBy != core.domain + 1) return false;
  if (level == 1) {
    if (l2.holds(line) || (isExclusive(1) && line.holders[0] & l1sOfDomain_[core.domain])) return false;
    fetchForL2(core, id, false);
    fill(1, core.domain, id, true);
    return true;
  }
  if (cache(0, core.l1).holds(line)) return false;
  if (!l2.holds(line)) {
    fetchForL2(core, id, false);
    if (!isExclusive(1)) fill(1, core.domain, id);
  } else {
    l2.touch(id, placeOf(id));
    if (isExclusive(1)) l2.remove(lines_.data(), id, placeOf(id), sink_, CacheSink::MOVED);
  }
  fill(0, core.l1, id, true);
  return true;
}

} // namespace dprof
