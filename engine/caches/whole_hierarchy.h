// Stage: replay. The caches of a whole machine: they take one core's reference and return its outcome. They model any
// sharing, inclusion, protocol and replacement, prefetchers, TLBs and sockets; docs/replay/caches.md, "Whole machines".
// hierarchy.h does the same for plain machines, many times faster.
#pragma once

#include <bit>
#include <memory>
#include <unordered_map>

#include "base/page_map.h"
#include "base/zeroed_array.h"
#include "caches/foreign_stores.h"
#include "caches/prefetchers.h"
#include "caches/reference_log.h"
#include "caches/tlb.h"
#include "caches/whole_cache.h"

namespace dprof {

struct WholeCacheTotals {
  uint64_t invalidations = 0, upgrades = 0, writeBacks = 0, backInvalidations = 0;
  uint64_t misses[3] = {};
  uint64_t tlbMisses[2] = {}; // of the first level; walks
};

class WholeHierarchy {
public:
  explicit WholeHierarchy(const Machine &machine, CacheSink *sink = nullptr);

  /// Bytes [address, address + length), which lie in one line. The outcome's latency is the reference's own.
  uint32_t reference(uint32_t core, uint32_t slot, uint64_t address, uint32_t length, bool store);
  /// The work of prefetchers at the last reference, as a word of outcome.h to count beside the outcome; 0: none.
  uint32_t prefetches() const { return prefetches_; }

  uint32_t l1Unit(uint32_t core) const { return core / machine_.whole.coresPerL1; }
  /// The line of the last reference.
  uint32_t line() const { return line_; }
  /// Unit and id of every line that an L1 holds.
  template <typename Visit> void eachInL1(Visit visit) const {
    for (uint32_t id = 1; id < lineCount_; id++)
      for (uint64_t units = lines_[id].holders[0]; units; units &= units - 1)
        visit(static_cast<uint32_t>(std::countr_zero(units)), id);
  }
  /// The number of a line, given the id that a CacheSink is told.
  uint64_t lineNumber(uint32_t id) const {
    return pages_.pages[id >> pages_.linesShift] << pages_.linesShift | (id & ((1u << pages_.linesShift) - 1));
  }

  struct Prefetched {
    uint64_t issued, useful, useless;
  };
  Prefetched prefetched(unsigned level) const;
  void restartTotals();
  WholeCacheTotals totals;

private:
  struct Position {
    uint32_t position; // in the unit's log
  };
  /// A cache, and the references of the cores that share it.
  struct Unit {
    Unit(const Machine &machine, unsigned level, uint32_t number)
        : cache(machine, level, number), log({machine.level[level].lines()}), distinct(machine.level[level].sets) {}
    WholeCache cache;
    ZeroedArray<Position> positions;
    ReferenceLog<Position> log;
    std::vector<uint32_t> distinct; // lines ever referenced, per set
    uint64_t distinctAll = 0, l1Units = 0;
  };
  struct Frame {
    uint64_t place; // physical number of its first line
    uint32_t home;  // socket
  };
  struct Page {
    uint32_t number, home;
  };
  struct Core {
    uint32_t l1, domain, llc, socket;
  };

  WholeCache &cache(unsigned level, uint32_t unit) { return units_[level][unit]->cache; }
  uint64_t placeOf(uint32_t id) const {
    return frames_[id >> pages_.linesShift].place + (id & ((1u << pages_.linesShift) - 1));
  }
  bool isExclusive(unsigned level) const { return machine_.whole.level[level].inclusion == Inclusion::EXCLUSIVE; }
  bool isInclusive(unsigned level) const { return machine_.whole.level[level].inclusion == Inclusion::INCLUSIVE; }
  bool isInDomain(const WholeLine &line, uint32_t domain) const {
    return (line.holders[0] & l1sOfDomain_[domain]) || line.holders[1] >> domain & 1;
  }
  uint32_t idOf(uint64_t address, uint32_t socket);
  uint32_t addFrame(uint64_t page, uint32_t socket);

  uint32_t fetchForL1(const Core &core, uint32_t id, bool store);
  uint32_t fetchForL2(const Core &core, uint32_t id, bool store);
  uint32_t supply(const Core &core, uint32_t id, bool store, bool llcHit);
  void fill(unsigned level, uint32_t unit, uint32_t id, bool prefetch = false);
  void leaveL1(uint32_t domain, uint32_t id);
  void leaveL2(uint32_t domain, uint32_t id);
  void leaveLlc(uint32_t group, uint32_t id);
  void leaveDomain(uint32_t domain, uint32_t id);
  void removeFromL1s(uint32_t domain, uint32_t id);
  uint32_t removeFromOthers(const Core &core, uint32_t id);
  uint32_t classify(const Core &core, uint32_t id, unsigned missed, uint32_t first, uint32_t length, bool store);
  void prefetch(const Core &core, unsigned missed, uint32_t slot, uint64_t address);
  bool prefetchInto(unsigned level, const Core &core, uint32_t id);

  const Machine machine_;
  CacheSink *const sink_;
  PageMap pages_;
  std::vector<Frame> frames_{{}}; // by frame of `pages_`
  std::unordered_map<uint64_t, Page> machinePages_;
  ZeroedArray<WholeLine> lines_;
  uint32_t lineCount_ = 0;

  std::vector<Core> cores_;
  std::vector<std::unique_ptr<Unit>> units_[3];
  std::vector<uint32_t> unitOfL1_[3]; // by level
  std::vector<uint64_t> l1sOfDomain_, l1sOfLlc_, domainsOfLlc_;
  std::vector<uint32_t> llcOfDomain_, socketOfDomain_, domainOfL1_;
  std::vector<Tlb> tlbs_;
  std::vector<Prefetchers> prefetchers_;
  std::unique_ptr<ForeignStores> foreign_;
  uint32_t supplier_ = 0, prefetches_ = 0, line_ = 0;
};

} // namespace dprof
