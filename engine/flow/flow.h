// Stage: replay. The results that a replay collects besides its counters: paths, residency, sets. docs/data-flow.md
// defines them; src/sim/flow.ts does the same.
#pragma once

#include "batch/reference_batch.h"
#include "flow/life_paths.h"
#include "flow/object_lines.h"
#include "flow/readings.h"
#include "flow/residency.h"
#include "objects/objects.h"

namespace dprof {

class Flow final : public LifeWatcher {
public:
  /// `objects`: the objects whose lives are reported here.
  Flow(const Input &input, const Objects &objects, PageMap &pages);

  void addPage(uint32_t frame, uint64_t page) { lines.addPage(frame, page); }
  /// The place of references by this slot.
  uint32_t placeOf(uint32_t slot) const { return placeOf_[slot]; }

  /// A plain hit of bytes of one line.
  [[gnu::always_inline]] void hit(LiveObject &object, StepKey key, uint32_t line, uint64_t address, uint32_t size,
                                  const uint64_t &now) {
    hit(object, objects_.numberOf(object), key, line, address, size, now);
  }
  /// The same; `live` is the object's number.
  [[gnu::always_inline]] void hit(LiveObject &object, uint32_t live, StepKey key, uint32_t line, uint64_t address,
                                  uint32_t size, const uint64_t &now) {
    Life &life = lives_[live];
    if (isNews(life, key, line, address, size)) [[unlikely]]
      meet(life, object, key, line, address, size, now);
    life.hits++;
  }
  /// Addresses from first to last, around that of a hit: while the life stays in its step, hits of that size there are
  /// no news, if the hit's line is of the object `ofLines` (0: of any).
  struct Known {
    uint64_t first, last;
    uint32_t ofLines;
  };
  Known knownAround(const LiveObject &object, uint64_t address, uint32_t size) {
    const Life &life = lifeOf(object);
    Known known{life.begin, std::min(life.end - size, lastOf(object.start, object.size)), 0};
    if (!lines.narrow(life, object, address, known.first, known.last)) known.ofLines = life.object;
    return known;
  }
  /// Whether a plain hit of a line that the object's references met before is no news.
  static bool isInStep(const Life &life, StepKey key, uint64_t address, uint32_t size) {
    return (unsigned{life.isNext(key)} | unsigned{address < life.begin} | unsigned{address + size > life.end}) == 0;
  }
  /// Whether a reference is the first of a step, or of the object's to the line.
  bool isElsewhere(const Life &life, StepKey key, uint32_t line) const {
    return (unsigned{life.isNext(key)} | unsigned{lines.isNew(life, line)}) != 0;
  }
  /// `hit` of one that is not.
  static void hitHere(Life &life, uint64_t address, uint32_t size) {
    life.begin = std::min(life.begin, address);
    life.end = std::max(life.end, address + size);
    life.hits++;
  }
  /// Any other reference.
  void met(LiveObject &object, StepKey key, uint32_t line, uint64_t address, uint32_t size, uint32_t bits,
           uint64_t now) {
    met(lifeOf(object), object, key, line, address, size, bits, now);
  }
  /// The same; it is often one of new bytes, or the first to its line.
  [[gnu::always_inline]] void met(Life &life, const LiveObject &object, StepKey key, uint32_t line, uint64_t address,
                                  uint32_t size, uint32_t bits, uint64_t now) {
    if (life.isNext(key)) [[unlikely]] {
      meet(life, object, key, line, address, size, now);
    } else {
      if (address < life.begin) life.begin = address;
      if (address + size > life.end) life.end = address + size;
      if (lines.isNew(life, line)) lines.add(life, object, line, address);
    }
    paths.count(life, bits);
  }
  /// Who owns lines that come in because of a reference to the object (null: to none).
  uint32_t ownerOf(LiveObject *object) { return residency.ownerOf(object ? &lifeOf(*object) : nullptr); }
  /// Returns the owner of the line that is in the place then.
  uint32_t count(const LineEvent &event, uint32_t before, LiveObject *object, uint64_t now) {
    return residency.count(event, before, object ? &lifeOf(*object) : nullptr, now);
  }
  // Prefetches an object (or Objects::MANY) that will be referenced soon. Call them in order: the life, then what the
  // life owns.
  void fetchLife(uint32_t live) const {
    if (live != Objects::MANY) __builtin_prefetch(&lives_[live], 1);
  }
  void fetchOwn(uint32_t live) const {
    if (live >= lives_.size()) return;
    paths.fetch(lives_[live]);
    residency.fetch(lives_[live]);
  }
  Life &lifeOf(const LiveObject &object) { return lives_[objects_.numberOf(object)]; }
  /// By the object's number.
  Life &life(uint32_t live) { return lives_[live]; }

  /// References to bytes [begin, end), the first of them now, in the step of the key.
  void widen(Life &life, const LiveObject &object, StepKey key, uint64_t begin, uint64_t end, uint64_t now);

  void begun(uint32_t live, const LiveObject &object, uint32_t core) override;
  void ended(uint32_t live, const LiveObject &object, bool isLast, uint32_t freeSlot, uint32_t core,
             uint64_t now) override;
  void beginWindow(uint64_t now);
  /// The run ends, and so do all lives.
  void finish(uint64_t now);

  Readings readings;
  LifePaths paths;
  Residency residency;
  ObjectLines lines;

private:
  /// One branch for all conditions, because it is hardly ever taken.
  bool isNews(const Life &life, StepKey key, uint32_t line, uint64_t address, uint32_t size) const {
    return (unsigned{!isInStep(life, key, address, size)} | unsigned{lines.isNew(life, line)}) != 0;
  }
  void meet(Life &life, const LiveObject &object, StepKey key, uint32_t line, uint64_t address, uint32_t size,
            uint64_t now);

  const Column<uint32_t> placeOf_;
  const Objects &objects_;
  struct StackReading {
    uint32_t object, reading; // object: its number, + 1
  };
  /// Of a stack variable it is the same in all its lives.
  uint32_t readingOf(uint32_t live, const LiveObject &object) {
    if (object.kind != STACK) return readings.of(object);
    if (live >= ofStack_.size()) ofStack_.resize(lives_.size());
    StackReading &of = ofStack_[live];
    if (of.object != object.id + 1) of = {object.id + 1, readings.of(object)};
    return of.reading;
  }
  HugeVector<Life> lives_;            // by number of the live object
  std::vector<StackReading> ofStack_; // by number of the live object
};

} // namespace dprof
