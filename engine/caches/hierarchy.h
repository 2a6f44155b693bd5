// Stage: replay. The coherent caches: they take one core's reference to a line and return its outcome. One load decides
// whether it is a hit.
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

/// A line as one core sees it. The struct lies in one cache line of the host processor.
struct alignas(16) CoreLine {
  uint32_t position; // in the core's log
  /// l2Place: + 1, 0 if the line is not in the L2. cameLast: with several cores, no other has referenced it since this
  /// one.
  uint32_t l2Place : 29, cameLast : 1, inL1 : 1, modified : 1;
  uint64_t used; // in the L1: a bit for each byte that was touched there; line_use.h holds them for lines above 64
                 // bytes

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
  bool orderBound;   // its first reference by the last core
};

struct CacheTotals {
  uint64_t invalidations = 0, upgrades = 0, writeBacks = 0;
  uint64_t misses[3] = {};
};

class Hierarchy {
public:
  /// `tellsAll`: tell of every line that an invalidation takes out of any level.
  explicit Hierarchy(const Machine &machine, bool tellsAll = false);
  /// Frames are numbered from 1 on, in the order of these calls alone, so a hierarchy may run on a thread of its own.
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

  /// With several cores: makes the reference if it is a plain hit of a line that this core was also the last to
  /// reference. It makes a store only if no other core ever referenced the line, because the last store to a shared
  /// line must be known.
  [[gnu::always_inline]] bool hitsAgain(Core &core, uint32_t id, bool store, uint32_t first, uint32_t length) {
    CoreLine &line = core.lines[id];
    if (!line.inL1 || !line.cameLast || (store && (!line.modified || cross_[id].shared))) return false;
    core.log.touch(core.lines.data(), id, lineCount_);
    Group &group = *groups_[core.group];
    group.log.touch(group.lines.data(), id, lineCount_);
    line.use(first, length);
    return true;
  }

  bool isInL1(const Core &core, uint32_t id) const { return core.lines[id].inL1; }

  /// The same for many references of the only core, [begin, end) of a column. `hit(reference, line)` is called for
  /// those that are plain hits; `met(at)` has to make the others.
  template <typename Reference, typename Hit, typename Met>
  [[gnu::always_inline]] void referenceAll(const Reference *references, uint32_t begin, uint32_t end,
                                           unsigned granulesShift, Hit hit, Met met) {
    Core &core = *cores_[0];
    for (uint32_t at = begin; at < end;) {
      auto young = core.log.append();
      CoreLine *const lines = core.lines.data();
      uint32_t stop = at + std::min(end - at, young.room());
      // The loop reads nothing that the previous reference wrote. It also has no unpredictable branch, such as one that
      // asks whether this is the same line again.
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
  /// References that miss the L1 append here which lines they moved.
  std::vector<LineMiss> *misses = nullptr;
  /// All other events of lines, in order. The caller takes them and clears the list.
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
  [[gnu::always_inline]] uint32_t dprofRule(bool invalidated, const std::vector<uint32_t> &distinct, uint64_t all,
                                            unsigned level, uint64_t number) const;
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
