// Stage: trace -> placing. The objects that live, as a replay knows them, but nothing is counted of them.
#pragma once

#include "objects/labels.h"
#include "objects/memory_structs.h"
#include "objects/object_changes.h"

namespace dprof {

class TrackedObjects {
public:
  TrackedObjects(const Input &input, const Plans &plans);
  /// The live object that contains the address; null: none.
  [[gnu::always_inline]] const LiveObject *find(uint64_t address) {
    const uint32_t frame = pages_.frameOf(PageMap::pageOf(address), [this](uint64_t page) { return addPage(page); });
    return objects.lookUp(PageMap::granule(frame, address), address);
  }

  // Before `find` is asked, in this order: each fetches what the next one reads.
  /// The granule of the address; 0: of no page that was asked for.
  uint32_t fetchGranule(uint64_t address) {
    const uint32_t frame = pages_.find(PageMap::pageOf(address));
    if (!frame) return 0;
    const uint32_t granule = PageMap::granule(frame, address);
    objects.fetchGranule(granule);
    return granule;
  }
  void fetchObject(uint32_t granule) const {
    if (granule) objects.fetchObject(objects.inTouched(granule));
  }
  /// One that may be the granule's; null: none, or it is not known at once.
  const LiveObject *near(uint32_t granule) const {
    const uint32_t live = granule ? objects.inTouched(granule) : 0;
    return live == 0 || live == Objects::MANY ? nullptr : &objects.at(live);
  }

private:
  static constexpr unsigned ANY_LINE_SHIFT = 6; // where objects are does not depend on it
  [[gnu::noinline]] uint32_t addPage(uint64_t page);

  PageMap pages_{ANY_LINE_SHIFT};
  Tallies tallies_;
  Labels labels_;
  ObjectCounters counters_;
  MemoryStructs structs_;
  Settler settler_;

public:
  Objects objects;
  ObjectChanges changes;
};

} // namespace dprof
