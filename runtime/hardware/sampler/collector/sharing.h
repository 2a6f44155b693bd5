// Stage: sampler. For each sampled object: the processors of its samples, and the lines of it that a store and samples
// of two processors hit.
#pragma once

#include <stdint.h>

#include <vector>

#include "object_map.h"

namespace dprof {

class Sharing {
public:
  void add(LiveObject *object, uint64_t address, uint32_t cpu, bool is_store);
  struct Found {
    bool is_bounced = false, is_write_shared = false;
  };
  // And forgets it.
  Found end(const LiveObject &object);

private:
  struct Line {
    uint64_t number;
    uint32_t cpu;
    bool has_two, has_store;
  };
  struct Object {
    uint32_t cpu = 0;
    bool has_two = false;
    std::vector<Line> lines = {};
  };
  std::vector<Object> objects_;
  std::vector<uint32_t> free_;
};

} // namespace dprof
