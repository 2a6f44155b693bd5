// Stage: replay. Finds the object in which an address lies now: a flat map from 8-byte granules to live objects, and
// the objects that live and lived.
//
// A granule says 0 (no live object), one live object, or MANY (two or more share it, or lie over one another; an exact
// search finds the right one). The map exists for touched pages only and is filled when a page is first touched, so
// memory follows what the program referenced.
#pragma once

#include <algorithm>

#include "base/page_map.h"
#include "base/zeroed_array.h"
#include "objects/freed_ranges.h"
#include "objects/object_lives.h"
#include "objects/object_log.h"
#include "objects/write_shared.h"

namespace dprof {

/// Told of the begin and end of lives, if the flow is wanted.
class LifeWatcher {
public:
  virtual ~LifeWatcher() = default;
  virtual void begun(uint32_t live, const LiveObject &object, uint32_t core) = 0;
  /// Called before the object's counts are forgotten. `isLast`: nobody will refer to the object any more.
  virtual void ended(uint32_t live, const LiveObject &object, bool isLast, uint32_t freeSlot, uint32_t core,
                     uint64_t now) = 0;
};

/// Keeps something about an object until it ends, or until the present life of a stack variable ends.
class LifeEnds {
public:
  virtual ~LifeEnds() = default;
  virtual void endLife(uint32_t live) = 0;
};

/// Keeps hits of objects, to count many at once.
class HitKeeper {
public:
  virtual ~HitKeeper() = default;
  /// Counts the object's hits. Later ones may count otherwise, or lie in another object.
  virtual void release(uint32_t live) = 0;
};

class Objects : public ObjectLives {
public:
  static constexpr uint32_t MANY = 0xffffffff;
  static constexpr size_t GRANULES = size_t{1} << PageMap::granulesShift; // in a page
  /// `lines`: for several cores; null for one core.
  Objects(const Input &input, PageMap &pages, WriteShared *lines, const Settler &settler)
      : ObjectLives(input), log(input.spill, input.mostObjects, lines != nullptr), pages_(pages), lines_(lines),
        settler_(settler) {}
  Objects(const Objects &) = delete;
  /// If a replay was refused on its way, live objects still hold counts.
  ~Objects() override {
    for (LiveObject &object : live_) {
      delete object.pending;
      delete object.votes.many;
    }
  }

  /// Objects that were made so far.
  uint32_t count() const { return made_; }
  LiveObject &at(uint32_t live) { return live_[live]; }
  const LiveObject &at(uint32_t live) const { return live_[live]; }
  uint32_t numberOf(const LiveObject &object) const { return static_cast<uint32_t>(&object - live_.data()); }
  /// The numbers of objects that are alive or belong to stack variables, in the order in which they were made.
  std::vector<uint32_t> unsettled() const;
  LifeWatcher *watcher = nullptr;
  HitKeeper *hitKeeper = nullptr; // if there is one
  void releaseHits(const LiveObject &object) const {
    if (object.keepsHits) hitKeeper->release(numberOf(object));
  }
  /// Live object at the address, null for none. The granule is the address's.
  [[gnu::always_inline]] LiveObject *lookUp(uint32_t granule, uint64_t address) {
    return lookUpIn(granules_[granule], address);
  }
  /// The same; `live` is the entry of the address's granule.
  [[gnu::always_inline]] LiveObject *lookUpIn(uint32_t live, uint64_t address) {
    if (live == MANY) [[unlikely]]
      live = search(address);
    LiveObject *object = &live_[live]; // number 0 has no bytes
    return address - object->start < object->size ? object : nullptr;
  }
  /// The number of the only object that may lie at the address. The granule is the address's.
  [[gnu::always_inline]] uint32_t candidate(uint32_t granule, uint64_t address) {
    const uint32_t live = granules_[granule];
    return live != MANY ? live : search(address);
  }
  /// The same as a number, 0 for none.
  uint32_t find(uint32_t granule, uint64_t address) {
    LiveObject *object = lookUp(granule, address);
    return object ? static_cast<uint32_t>(object - live_.data()) : 0;
  }
  /// Whether all granules from first to last, with bytes low to high in them, belong to one object, or to none and no
  /// byte outlived its object.
  bool inOne(uint32_t first, uint32_t last, uint64_t low, uint64_t high, LiveObject *&object) {
    uint32_t live = granules_[first], different = 0, freed = 0;
    for (uint32_t granule = first; granule <= last; granule++) different |= granules_[granule] ^ live;
    if (different || !isAround(live, low, high, object)) return false;
    if (!live)
      for (uint32_t granule = first; granule <= last; granule++) freed |= freed_[granule];
    return !freed;
  }
  /// The same for some granules.
  bool inOne(const uint32_t *granules, uint32_t count, uint64_t low, uint64_t high, LiveObject *&object) {
    uint32_t live = granules_[granules[0]], different = 0, freed = 0;
    for (uint32_t i = 0; i < count; i++) {
      different |= granules_[granules[i]] ^ live;
      freed |= freed_[granules[i]];
    }
    return !different && isAround(live, low, high, object) && (live || !freed);
  }
  /// Whether a whole line, its first granule given, belongs to one object, or to none.
  bool isOneLine(uint32_t granule, uint64_t address, uint32_t bytes, LiveObject *&object) {
    const uint32_t *granules = &granules_[granule];
    uint32_t live = granules[0], different = 0;
    if (bytes == 64) [[likely]]
      for (unsigned i = 1; i < 8; i++) different |= granules[i] ^ live;
    else
      for (unsigned i = 1; i < bytes >> PageMap::granuleShift; i++) different |= granules[i] ^ live;
    return !different && isAround(live, address, address + bytes - 1, object) && live != MANY;
  }
  /// The entry of the granule of the (aligned) address: 0, an object or MANY. Granule 0: its page was never touched.
  uint32_t inGranule(uint32_t granule, uint64_t address) {
    return granule ? granules_[granule] : exactGranule(address);
  }
  /// The same for a granule whose page was touched.
  uint32_t inTouched(uint32_t granule) const { return granules_[granule]; }
  // Prefetches for a granule that will be asked for soon. Call them in order: its entry, its object, the object's
  // counts. `live`: the entry.
  void fetchGranule(uint32_t granule) const { __builtin_prefetch(&granules_[granule]); }
  void fetchObject(uint32_t live) const {
    if (live == MANY) return;
    __builtin_prefetch(&live_[live]);
    __builtin_prefetch(&live_[live].counts);
  }
  void fetchCounts(uint32_t live) const {
    if (live != MANY) settler_.counters.fetch(live_[live].counts);
  }
  /// Of a granule whose page was touched.
  uint64_t addressOf(uint32_t granule) const { return pages_.addressOf(granule); }
  /// A number that others keep for a line; 0 from the next change of an object on the line on.
  uint32_t &lineNote(uint32_t line) { return lineNotes_[line]; }
  void fetchLine(uint32_t line) const { __builtin_prefetch(&lineNotes_[line]); }
  void forgetLineNotes() { std::fill_n(lineNotes_.data(), lineCapacity(), 0); }
  bool wasFreed(uint32_t granule, uint64_t address) const { return freed_[granule] >> (address & 7) & 1; }
  /// Whether a heap object that is gone was the last to cover a byte of the granule.
  bool anyFreed(uint32_t granule) const { return freed_[granule] != 0; }
  uint32_t search(uint64_t address);

  void addFrame(uint32_t frame);
  /// Lines of all frames that there is room for.
  size_t lineCapacity() const { return size_t{frameCapacity_} << pages_.linesShift; }
  void createGlobals();
  /// A window begins: live objects count as if they began now; votes stay.
  void restart(uint64_t now);
  /// The end of the run: settles the objects that are still alive.
  void finish(uint64_t now);
  /// Adds the rows that objects would have if the run ended now; pending counts go to the rows of `settler`.
  void endInto(ObjectLog &rows, uint64_t now, const Settler &settler) const;
  /// Numbers of objects whose site has no label yet. `forgetLabels` resets them: labels that they get in between belong
  /// to a copy.
  std::vector<uint32_t> unlabelled() const;
  void forgetLabels(const std::vector<uint32_t> &unlabelled) {
    for (uint32_t live : unlabelled) live_[live].siteLabel = 0;
  }

  /// Told of each life that ends, except those that end with the run.
  std::vector<LifeEnds *> lifeEnds;
  /// Rows of the objects that have ended for good.
  ObjectLog log;

private:
  /// All lives of an object. Only the object of a stack variable has more than one.
  struct Lives {
    uint64_t count, firstBornAt, lifetime, diedAt;
  };
  void made(LiveObject &made, const NewObject &object) override;
  void begun(uint32_t live, uint64_t now) override;
  void ended(uint32_t live, uint32_t freeSlot, uint64_t now) override;
  void allocatedAt(LiveObject &object, uint32_t slot, uint32_t callPath) override;
  void endGlobals(uint64_t begin, uint64_t last, uint64_t now) override;
  void makeGlobal(uint32_t variable, uint64_t address, uint64_t now) override;
  void reused(uint64_t begin, uint64_t last) override;
  bool isAround(uint32_t live, uint64_t low, uint64_t high, LiveObject *&object) {
    object = live ? &live_[live == MANY ? 0 : live] : nullptr; // number 0 has no bytes
    return !object || (low - object->start < object->size && high - object->start < object->size);
  }
  template <typename Visit> void eachTouchedPage(uint64_t begin, uint64_t last, Visit visit);
  bool replaceFew(const LiveObject &object, uint32_t before, uint32_t after);
  void paint(uint32_t live);
  void hideEither(uint32_t live, uint32_t other);
  void meet(uint32_t live, uint32_t entry, uint64_t begin, uint64_t last);
  /// An object changes in bytes [from, to] of a page.
  void changeLines(uint32_t frame, uint64_t from, uint64_t to) {
    const uint64_t first = uint64_t{frame} << pages_.linesShift;
    for (uint64_t line = from >> pages_.lineShift; line <= to >> pages_.lineShift; line++) lineNotes_[first + line] = 0;
  }
  void forgetNotes(const LiveObject &object);
  void restartLines(uint32_t live);
  void erase(uint32_t live);
  void cutGlobals(uint64_t address);
  uint32_t exactGranule(uint64_t address);
  template <typename Visit> void eachOverlapping(uint64_t begin, uint64_t last, Visit visit);
  void settle(LiveObject &object, const Lives &lives, uint32_t freeSlot);
  static void settleInto(ObjectLog &rows, LiveObject &object, const Lives &lives, uint32_t freeSlot,
                         const Settler &settler);
  static void endLife(LiveObject &object, const Settler &settler);
  Lives livesAtEnd(const LiveObject &object, uint64_t now) const;
  /// The part of the lifetime that is counted.
  uint64_t lifetimeOf(const LiveObject &object, uint64_t now) const {
    return now - std::max(object.bornAt, windowBegan_);
  }

  PageMap &pages_;
  WriteShared *const lines_;
  const Settler &settler_;
  uint32_t frameCapacity_ = 0;
  ZeroedArray<uint32_t> granules_, lineNotes_;
  ZeroedArray<uint8_t> freed_; // per granule, a bit per byte: a heap object that is gone was the last to cover it
  FreedRanges freedUntouched_; // the same for pages never touched
  uint32_t made_ = 0;          // number of objects made
  std::vector<Lives> stackLives_;
  uint64_t windowBegan_ = 0;
  std::map<uint64_t, uint32_t> globals_; // flattened: start of a piece -> its object, 0 for a gap
};

} // namespace dprof
