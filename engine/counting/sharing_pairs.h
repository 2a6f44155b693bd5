// Stage: replay. The table of which store made which sharing miss. The caches number the stores and say which came
// last; this file keeps the targets of those stores.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "batch/outcome.h"
#include "objects/objects.h"

namespace dprof {

/// class, relation, miss slot, object, leaf, store slot, object, leaf
using SharingKey = std::tuple<uint8_t, uint8_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>;

class SharingPairs {
public:
  SharingPairs(Objects &objects, PageMap &pages) : objects_(objects), pages_(pages) {}

  struct Side {
    uint32_t slot;
    const LiveObject *object; // null: in none
    uint32_t leaf;
  };
  void store(uint32_t number, uint64_t address, const Side &side) {
    if (number >= stores_.size()) stores_.resize(number + 1);
    stores_[number] = {address, objects_.lifeSequence(), side.slot, idOf(side.object), side.leaf};
  }
  /// `number`: the store that came last.
  void miss(uint32_t number, MissClass kind, const Side &missed) {
    const Store &store = stores_[number];
    uint32_t frame = pages_.find(PageMap::pageOf(store.address));
    const LiveObject *owner = objects_.lookUp(PageMap::granule(frame, store.address), store.address);
    bool recycled = idOf(owner) != store.object || (missed.object && missed.object->lifeSequence > store.livesThen);
    uint8_t relation = recycled ? 3 : missed.object && missed.object->id == store.object ? 0 : 1;
    misses[{static_cast<uint8_t>(kind), relation, missed.slot, idOf(missed.object), missed.leaf, store.slot,
            store.object, store.leaf}]++;
  }

  std::map<SharingKey, uint64_t> misses;

private:
  struct Store {
    uint64_t address, livesThen; // how many lives had begun
    uint32_t slot, object, leaf;
  };
  static uint32_t idOf(const LiveObject *object) { return object ? object->id : NO_INDEX; }
  Objects &objects_;
  PageMap &pages_;
  std::vector<Store> stores_; // by number
};

} // namespace dprof
