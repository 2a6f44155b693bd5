// Stage: sampler. Allocations and frees, in order of time -> the object at an address.
//
// Objects of one layer do not overlap: one that begins where others live ends those. A described allocator hands out
// parts of a block of malloc's or of a mapping; those two may lie in each other. For an address, the innermost layer
// that has an object there counts.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <map>
#include <unordered_map>
#include <vector>

namespace dprof {

enum class Layer : uint8_t { mapping, heap, part }; // outermost first
constexpr int layers = 3;

struct LiveObject {
  uint64_t address = 0, bytes = 0;
  uint64_t born_ns = 0;
  uint32_t type = 0;
  uint32_t site = 0;
  uint32_t thread = 0;
  uint16_t cpu = 0;
  uint16_t offset = 0; // offset of the type's first byte
  Layer layer = Layer::heap;
  uint32_t samples = 0;
  uint32_t drawn = 0;   // its place among the drawn objects of its type, counted from 1
  uint32_t sharing = 0; // number of the facts about its processors and lines, counted from 1
};

constexpr uint32_t no_object = 0xffffffff;

class ObjectMap {
public:
  // Numbers of the objects that must end for the new one to begin; they stay in the map until `remove`.
  void find_overlapped(Layer layer, uint64_t address, uint64_t bytes, std::vector<uint32_t> *found) const;
  uint32_t add(const LiveObject &object);
  void remove(uint32_t number);
  LiveObject &at(uint32_t number) { return objects_[number]; }
  // The object that begins at the address; no_object: none.
  uint32_t starting_at(Layer layer, uint64_t address) const;
  // The innermost object that holds the address.
  uint32_t find(uint64_t address) const;
  // Whether an object was in the same page of memory, now or before.
  bool was_used(uint64_t address) const;
  size_t size() const { return objects_.size() - free_.size(); }
  // Numbers of all live objects, in no order.
  std::vector<uint32_t> numbers() const;
  void clear();

private:
  struct Start {
    uint16_t offset; // in the page
    uint32_t number;
  };
  using Page = std::vector<Start>;
  struct Layered {
    std::unordered_map<uint64_t, Page> pages; // objects of at most a page, by where they begin
    std::map<uint64_t, uint32_t> large;       // others, by address
  };

  uint32_t find_in(const Layered &layer, uint64_t address) const;
  bool holds(uint32_t number, uint64_t address) const {
    return address - objects_[number].address < (objects_[number].bytes ? objects_[number].bytes : 1);
  }

  Layered layers_[layers];
  std::vector<LiveObject> objects_;
  std::vector<uint32_t> free_;
};

} // namespace dprof
