// Stage: taker. A type's layout and the user's wishes -> which bytes of the next object to watch.
//
// A type is cut into slots of `width` bytes (its end into smaller ones, powers of two). A *set* of histories covers it: single, every slot is watched
// in one of them; pairwise, every two slots are watched together in one of them.
#pragma once

#include <stdint.h>

#include <string>
#include <vector>

namespace dprof {

struct Field {
  std::string path; // "lock.owner", "slots[]"
  uint64_t offset, bytes;
};

struct TypeLayout {
  std::string name;
  uint64_t bytes = 0;
  std::vector<Field> fields;
};

// What is allocated in one piece is an array of it, as far as that goes; not where the type ends in an array of any length, and not where it does not fit.
uint64_t elements_of(const TypeLayout &layout, uint64_t bytes);

struct Slot {
  uint64_t offset;
  uint32_t bytes;
};

enum class Cover { single, pairwise };

struct PlanWishes {
  Cover cover = Cover::single;
  uint32_t width = 8;
  uint32_t registers = 4;
  std::vector<std::string> fields; // none: all of the type
};

class WatchPlan {
public:
  WatchPlan(const TypeLayout &layout, const PlanWishes &wishes);

  const std::vector<Slot> &slots() const { return slots_; }
  // By numbers of slots; one set.
  const std::vector<std::vector<uint32_t>> &watches() const { return watches_; }

private:
  std::vector<Slot> slots_;
  std::vector<std::vector<uint32_t>> watches_;
};

} // namespace dprof
