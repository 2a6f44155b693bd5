// Stage: collector of histories. A type's layout and the user's wishes -> which bytes of the next object to watch.
//
// A type is cut into slots of `width` bytes (its end into smaller ones, powers of two). A *set* of histories covers it:
// single, every slot is watched in one of them; pairwise, every two slots are watched together in one of them.
#pragma once

#include <stdint.h>

#include <string>
#include <vector>

#include "../../code/type_layout.h"

namespace dprof {

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

// The slots of one type, as chosen from samples.
struct ChosenSlots {
  uint64_t type_bytes = 0;
  std::vector<uint64_t> offsets; // of the slots
};

class WatchPlan {
public:
  // `chosen` null: all slots that are wished for.
  WatchPlan(const TypeLayout &layout, const PlanWishes &wishes, const ChosenSlots *chosen);

  const std::vector<Slot> &slots() const { return slots_; }
  // Numbers of slots for each watch; together one set.
  const std::vector<std::vector<uint32_t>> &watches() const { return watches_; }

private:
  std::vector<Slot> slots_;
  std::vector<std::vector<uint32_t>> watches_;
};

} // namespace dprof
