// Stage: replay. The coherent caches of several cores: they take one core's reference to a line and return its outcome.
// One load decides whether it is a hit. A core that is alone has caches of its own (lone_core.h).
#pragma once

#include <memory>

#include "base/page_map.h"
#include "base/zeroed_array.h"
#include "batch/cache_totals.h"
#include "batch/line_event.h"
#include "batch/outcome.h"
#include "caches/cache_level.h"
#include "caches/reference_log.h"
#include "caches/sharing.h"

namespace dprof {

/// A line as one core sees it. The struct lies in one cache line of the host processor.
struct alignas(16) CoreLine {
  uint32_t position; // in the core's log
  /// l2Place: + 1, 0 if the line is not in the L2. cameLast: no other core has referenced it since this one.
  uint32_t l2Place : 29, cameLast : 1, inL1 : 1, modified : 1;
  uint64_t used; // in the L1: a bit for each byte that was touched there; line_use.h holds them for lines above 64
                 // bytes

  void use(uint32_t first, uint32_t length) { used |= ~uint64_t{0} >> ((64 - length) & 63) << (first & 63); }
};

/// A line as the cores behind one LLC see it.
struct GroupLine {
  uint32_t position, llcPlace; // + 1
};

/// A line between cores.
struct CrossLine {
  uint64_t holders;  // cores with the line in L1 or L2
  uint64_t storedBy; // cores that ever stored to it
  uint32_t shared;   // SharedLine, from the second core's first reference on
  uint8_t lastCore;  // + 1; 0: none yet
  bool orderBound;   // its first reference by the last core
};

class Hierarchy {
public:
  /// `tellsAll`: tell of every line that an invalidation takes out of any level.
  explicit Hierarchy(const Machine &machine, bool tellsAll = false);
  /// Frames are numbered from 1 on, in the order of these calls alone, so a hierarchy may run on a thread of its own.
  void addPage(uint64_t page);

  struct Core {
    Core(const Machine &machine, uint32_t number);
    ZeroedArray<CoreLine> lines;
    ReferenceLog<CoreLine> log; // horizons: L1, L2
    LoggedLevel l1;
    StampedLevel l2;
    std::vector<uint32_t> distinct[2]; // lines ever referenced, per set
    uint64_t distinctAll = 0;
    uint32_t number, group;
  };

  Core &core(uint32_t number) { return *cores_[number]; }
  CrossLine &cross(uint32_t id) { return cross_[id]; }

  /// The reference's bytes are [first, first + length) of the line.
  [[gnu::always_inline]] uint32_t reference(Core &core, uint32_t id, bool store, uint32_t first, uint32_t length) {
    CoreLine &line = core.lines[id];
    uint32_t bits = outcome::PLAIN | uint32_t{store};
    bool hit = line.inL1;
    if (!hit) [[unlikely]]
      bits = miss(core, id, store, first, length);
    touch(core, id);
    if (store && !line.modified) takeForStore(core, id, hit);
    if (store) line.modified = 1;
    line.use(first, length);
    return bits;
  }

  /// The same of a line that another shard looks up: it counts only as one that was referenced.
  void pass(Core &core, uint32_t id) {
    const uint64_t number = lineNumber(id);
    if (core.lines[id].position == 0) meet(core, number);
    if (Group &group = *groups_[core.group]; group.lines[id].position == 0) meet(group, number);
    touch(core, id);
  }

  /// Whether the core's next reference is a plain hit of a line that it was also the last to reference, if it is a load
  /// or `mayStoreAgain`. It is made by `touch`, and by noting its bytes.
  bool isHitAgain(Core &core, uint32_t id) const {
    const CoreLine &line = core.lines[id];
    return line.inL1 & line.cameLast;
  }
  /// A store that is such a hit changes nothing either if no other core ever referenced the line: the last store to a
  /// shared line must be known.
  bool mayStoreAgain(Core &core, uint32_t id) const { return core.lines[id].modified && !cross_[id].shared; }
  void touch(Core &core, uint32_t id) {
    core.log.touch(core.lines.data(), id, lineCount_);
    Group &group = *groups_[core.group];
    group.log.touch(group.lines.data(), id, lineCount_);
  }

  CacheTotals totals;
  Sharing sharing;
  /// References that miss the L1 append here which lines they moved.
  Appended<LineMiss> *misses = nullptr;
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

  /// The first reference to a line.
  void meet(Core &core, uint64_t number) {
    for (unsigned i = 0; i < 2; i++) core.distinct[i][number & (machine_.level[i].sets - 1)]++;
    core.distinctAll++;
  }
  void meet(Group &group, uint64_t number) {
    group.distinct[number & (machine_.level[2].sets - 1)]++;
    group.distinctAll++;
  }
  uint32_t miss(Core &core, uint32_t id, bool store, uint32_t first, uint32_t length);
  uint32_t missLlc(Core &core, uint32_t id, uint64_t number, uint32_t first, uint32_t length, uint32_t bits,
                   LineMiss &miss);
  void leave(Core &core, uint32_t id);
  uint32_t ruleOf(bool invalidated, const std::vector<uint32_t> &distinct, uint64_t all, unsigned level,
                  uint64_t number) const {
    const LevelShape &shape = machine_.level[level];
    return invalidated ? uint32_t{RULE_INVALIDATION} : dprofRule(shape, distinct[number & (shape.sets - 1)], all);
  }
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
