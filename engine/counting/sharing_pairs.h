// Stage: replay. The table of which store made which sharing miss, and of which store came before which compulsory one.
// The caches number the stores to lines that two cores have referenced and say which came last; this file keeps the
// targets of those stores, and by line the last store of all: a core's first reference asks for that one.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/zeroed_array.h"
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
  void grow(size_t lines) { lastOf_.grow(lines); }
  void store(uint32_t number, uint64_t address, const Side &side) {
    if (number >= stores_.size()) stores_.resize(number + 1);
    stores_[number] = describe(address, side);
  }
  void storeTo(uint32_t line, uint64_t address, const Side &side) { lastOf_[line] = describe(address, side); }
  /// Both.
  void storeTo(uint32_t line, uint32_t number, uint64_t address, const Side &side) {
    if (number >= stores_.size()) stores_.resize(number + 1);
    stores_[number] = lastOf_[line] = describe(address, side);
  }
  /// `number`: the store that came last.
  void miss(uint32_t number, MissClass kind, const Side &missed) { count(stores_[number], kind, missed); }
  /// A core's first reference to a line that another core had stored to.
  void coldMiss(uint32_t line, const Side &missed) { count(lastOf_[line], COMPULSORY, missed); }

  std::map<SharingKey, uint64_t> misses;

private:
  struct Store {
    uint64_t address, livesThen; // how many lives had begun
    uint32_t slot, object, leaf;
  };
  static uint32_t idOf(const LiveObject *object) { return object ? object->id : NO_INDEX; }
  Store describe(uint64_t address, const Side &side) const {
    return {address, objects_.lifeSequence(), side.slot, idOf(side.object), side.leaf};
  }
  void count(const Store &store, MissClass kind, const Side &missed) {
    uint32_t frame = pages_.find(PageMap::pageOf(store.address));
    const LiveObject *owner = objects_.lookUp(PageMap::granule(frame, store.address), store.address);
    bool recycled = idOf(owner) != store.object || (missed.object && missed.object->lifeSequence > store.livesThen);
    uint8_t relation = recycled ? 3 : missed.object && missed.object->id == store.object ? 0 : 1;
    misses[{static_cast<uint8_t>(kind), relation, missed.slot, idOf(missed.object), missed.leaf, store.slot,
            store.object, store.leaf}]++;
  }

  Objects &objects_;
  PageMap &pages_;
  std::vector<Store> stores_; // by number
  ZeroedArray<Store> lastOf_; // by line
};

} // namespace dprof
