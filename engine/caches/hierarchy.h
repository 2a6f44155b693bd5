// Stage: replay. The coherent caches: one reference of a core to a line in, its outcome out. Hits are decided from one
// load.
#pragma once

#include <memory>

#include "base/page_map.h"
#include "base/zeroed_array.h"
#include "batch/line_event.h"
#include "batch/outcome.h"
#include "caches/cache_level.h"
#include "caches/reference_log.h"
#include "caches/sharing.h"

namespace dprof {

/// A line as one core sees it. All of it lies in one line of this processor's.
struct alignas(16) CoreLine {
  uint32_t position; // in the core's log
  /// l2Place: + 1, 0 not in the L2. cameLast: of several cores, none has referenced it since this one did.
  uint32_t l2Place : 29, cameLast : 1, inL1 : 1, modified : 1;
  uint64_t used; // in the L1: a bit for each byte that was touched there; of lines above 64 bytes line_use.h knows them

  void use(uint32_t first, uint32_t length) { used |= ~uint64_t{0} >> ((64 - length) & 63) << (first & 63); }
};

/// A line as the cores behind one LLC see it. With a single core its position is the CoreLine's.
struct GroupLine {
  uint32_t position, llcPlace; // + 1
};

/// A line between cores; only kept when there is more than one.
struct CrossLine {
  uint64_t holders;  // cores with the line in L1 or L2
  uint64_t storedBy; // cores that ever stored to it
  uint32_t shared;   // SharedLine, from the second core's first reference on
  uint8_t lastCore;  // + 1; 0: none yet
};

struct CacheTotals {
  uint64_t invalidations = 0, upgrades = 0, writeBacks = 0;
  uint64_t misses[3] = {};
};

class Hierarchy {
public:
  /// `tellsAll`: of every line that an invalidation takes out of any level.
  explicit Hierarchy(const Machine &machine, bool tellsAll = false);
  /// Frames are numbered from 1 on, as they come: by the order of this alone, so a hierarchy may run on a thread of its
  /// own.
  void addPage(uint64_t page);

  struct Core {
    Core(const Machine &machine, uint32_t number, bool only);
    ZeroedArray<CoreLine> lines;
    ReferenceLog<CoreLine> log; // horizons: L1, L2, and the LLC's if this is the only core
    LoggedLevel l1;
    StampedLevel l2;
    std::vector<uint32_t> distinct[2]; // lines ever referenced, per set
    uint64_t distinctAll = 0;
    uint32_t number, group;
  };

  Core &core(uint32_t number) { return *cores_[number]; }
  CrossLine &cross(uint32_t id) { return cross_[id]; }

  /// The reference's bytes are [first, first + length) of the line.
  template <bool Single>
  [[gnu::always_inline]] uint32_t reference(Core &core, uint32_t id, bool store, uint32_t first, uint32_t length) {
    CoreLine &line = core.lines[id];
    uint32_t bits = outcome::PLAIN | uint32_t{store};
    bool hit = line.inL1;
    if (!hit) [[unlikely]]
      bits = miss<Single>(core, id, store, first, length);
    core.log.touch(core.lines.data(), id, lineCount_);
    if constexpr (!Single) {
      Group &group = *groups_[core.group];
      group.log.touch(group.lines.data(), id, lineCount_);
      if (store && !line.modified) takeForStore(core, id, hit);
    }
    if (store) line.modified = 1;
    line.use(first, length);
    return bits;
  }

  /// Of several cores: the reference, if it is a hit of a line that the core referenced last too, and nothing else. Of
  /// stores, only where no other core ever referenced the line: of others it is to be known which came last.
  [[gnu::always_inline]] bool hitsAgain(Core &core, uint32_t id, bool store, uint32_t first, uint32_t length) {
    CoreLine &line = core.lines[id];
    if (!line.inL1 || !line.cameLast || (store && (!line.modified || cross_[id].shared))) return false;
    core.log.touch(core.lines.data(), id, lineCount_);
    Group &group = *groups_[core.group];
    group.log.touch(group.lines.data(), id, lineCount_);
    line.use(first, length);
    return true;
  }

  bool wouldHit(Core &core, uint32_t id, bool store) {
    return core.lines[id].inL1 && core.lines[id].modified >= uint32_t{store};
  }

  /// The same for many references of the only core, [begin, end) of a column: those that are hits and nothing else.
  /// `hit(reference, line)` is told of them, and `met(at)` has to make the others.
  template <typename Reference, typename Hit, typename Met>
  [[gnu::always_inline]] void referenceAll(const Reference *references, uint32_t begin, uint32_t end,
                                           unsigned granulesShift, Hit hit, Met met) {
    Core &core = *cores_[0];
    for (uint32_t at = begin; at < end;) {
      auto young = core.log.append();
      CoreLine *const lines = core.lines.data();
      uint32_t stop = at + std::min(end - at, young.room());
      // Nothing is read here that the reference before wrote, and no branch asks what cannot be foreseen: whether it is
      // that line again.
      for (; at < stop; at++) {
        uint32_t id = references[at].granule >> granulesShift;
        CoreLine &line = lines[id];
        if (!line.inL1 || line.modified < references[at].store || !young.inHorizons(line.position)) [[unlikely]]
          break;
        line.position = young.add(id);
        hit(references[at], line, id);
      }
      core.log.appended(young);
      if (at == end) break;
      met(at++);
    }
  }

  CacheTotals totals;
  Sharing sharing;
  /// Where references that miss the L1 say what they moved.
  std::vector<LineMiss> *misses = nullptr;
  /// What else happened to lines, in order, for whoever takes it and clears it.
  std::vector<LineEvent> events;

  uint64_t lineNumber(uint32_t id) const {
    return pages_[id >> linesShift_] << linesShift_ | (id & ((1u << linesShift_) - 1));
  }
  uint32_t lineCount() const { return lineCount_; }

private:
  struct Group {
    explicit Group(const Machine &machine);
    ZeroedArray<GroupLine> lines;
    ReferenceLog<GroupLine> log;
    StampedLevel llc;
    std::vector<uint32_t> distinct;
    uint64_t distinctAll = 0;
  };

  template <bool Single> uint32_t miss(Core &core, uint32_t id, bool store, uint32_t first, uint32_t length);
  template <bool Single>
  uint32_t missLlc(Core &core, uint32_t id, uint64_t number, uint32_t first, uint32_t length, uint32_t bits,
                   LineMiss &miss);
  template <bool Single> void leave(Core &core, uint32_t id);
  uint32_t dprofRule(bool invalidated, const std::vector<uint32_t> &distinct, uint64_t all, unsigned level,
                     uint64_t number) const;
  void takeForStore(Core &core, uint32_t id, bool hit);
  void invalidate(Core &core, uint32_t id, uint64_t number);
  void tell(LineEvent::Kind kind, uint8_t level, uint32_t unit, uint32_t place, uint32_t line) {
    events.push_back({kind, level, static_cast<uint16_t>(unit), place, line});
  }
  uint64_t groupMask(uint32_t group) const;

  const Machine machine_;
  const bool tellsAll_;
  const unsigned linesShift_;      // lines of a page
  std::vector<uint64_t> pages_{0}; // by frame
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<std::unique_ptr<Group>> groups_;
  ZeroedArray<CrossLine> cross_;
  uint32_t lineCount_ = 0;
};

} // namespace dprof
