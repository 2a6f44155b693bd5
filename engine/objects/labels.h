// Stage: replay. The label of a reference or a byte, as known now, as one number: a type, or a heap site (allocation
// slot and size). docs/replay/attribution.md. Sites get their names at the end, by one vote of all their objects.
#pragma once

#include <unordered_map>
#include <vector>

#include "objects/objects.h"

namespace dprof {

class Labels {
public:
  static constexpr unsigned BITS = 27;               // of a label's number
  static constexpr uint32_t NONE = (1u << BITS) - 1; // no label has this number
  /// Row and number of a label are one: types first, then `noObject`, then sites.
  struct Site {
    uint32_t allocationSlot;
    uint64_t size;
    Counts votes; // by struct type
  };
  explicit Labels(const Input &input) : noObject(static_cast<uint32_t>(input.types.declared.count)), input_(input) {}

  /// The label of a reference by the slot; a null object means that it lies in no object.
  uint32_t ofReference(const SlotPlan &slot, LiveObject *object) {
    return object ? ofReference(slot.isStruct, slot.type, *object) : slot.type;
  }
  uint32_t ofReference(bool isStruct, uint32_t type, LiveObject &object) {
    if (object.declared) return isStruct && object.flags & OBJECT_MEMORY ? type : object.declared;
    return object.kind == HEAP && !isStruct ? ofSite(object) : type;
  }
  uint32_t ofByte(LiveObject *object) {
    if (!object) return noObject;
    return object->declared || object->kind != HEAP ? object->declared : ofSite(*object);
  }
  /// The object has ended: its votes count for its site.
  void settle(LiveObject &object);
  /// The struct that names a site; 0 if none was voted for, or if it is a site of pools.
  uint32_t named(const Site &site) const;
  static bool isOfPools(const Site &site);

  const uint32_t noObject;
  std::vector<Site> sites;

private:
  uint32_t ofSite(LiveObject &object) {
    if (object.siteLabel == 0) [[unlikely]]
      object.siteLabel = intern(object.slot, object.size);
    return object.siteLabel;
  }
  uint32_t intern(uint32_t allocationSlot, uint64_t size);

  struct Key {
    uint32_t allocationSlot;
    uint64_t size;
    bool operator==(const Key &) const = default;
  };
  struct Hash {
    size_t operator()(const Key &key) const {
      return (key.size * 0x9e3779b97f4a7c15ull ^ key.allocationSlot) * 0xbf58476d1ce4e5b9ull >> 16;
    }
  };
  const Input &input_;
  std::unordered_map<Key, uint32_t, Hash> numbers_;
};

} // namespace dprof
