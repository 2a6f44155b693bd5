// Stage: sampler. Events of the heap, one after the other -> live objects, their types and the facts about all objects
// of a type.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "../../code/type_layout.h"
#include "event_log.h"
#include "object_map.h"
#include "sharing.h"
#include "type_table.h"

namespace dprof {

// An allocation call, or a call that frees, as it is known for the rest of the run.
struct Site {
  uint64_t address; // that it returns to
  uint32_t place = 0;
  std::string function = {};
  TypeLayout layout = {}; // no name: untyped
  uint32_t type = 0;      // row of `layout`
};

class Heap {
public:
  Heap(TypeTable &types) : types_(types) {}

  // `site` may be null: unknown. Times do not decrease.
  void apply(const HeapEvent &event, const Site *site);
  // null: none that lives has the address.
  LiveObject *find(uint64_t address);
  bool was_used(uint64_t address) const { return objects_.was_used(address); }
  void add_sample(LiveObject *object, uint64_t address, uint32_t cpu, bool is_store);
  // All that live end: at that time, or with the run (0).
  void end_all(uint64_t time_ns);

  uint64_t overlaps = 0;      // objects that had to end for another
  uint64_t unknown_frees = 0; // of addresses where nothing lives
  size_t live() const { return objects_.size(); }

private:
  void begin(const HeapEvent &event, Layer layer, const Site *site);
  void end(uint32_t number, uint64_t time_ns, uint32_t place);
  void end_range(const HeapEvent &event, uint32_t place);
  void revive(const HeapEvent &event);
  std::vector<LiveObject> &last_freed(uint32_t thread);

  TypeTable &types_;
  ObjectMap objects_;
  Sharing sharing_;
  std::unordered_map<uint32_t, std::vector<LiveObject>>
      last_freed_;           // by thread: what a failed realloc or mremap brings back
  uint32_t last_thread_ = 0; // of the map; its own list, or null
  std::vector<LiveObject> *last_list_ = nullptr;
  std::vector<uint32_t> found_;
};

} // namespace dprof
