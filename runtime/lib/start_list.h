// Stage: runtime, and the libraries that the takers preload. The data that a new thread needs before its own code runs;
// the thread that creates it hands it over. It does not use the program's heap, whose addresses must not change.
#pragma once

#include "memory.h"
#include "system.h"

namespace dprof {

// `Start` has a member `next` of its own type.
template <typename Start> class StartList {
public:
  // Null: there is no memory.
  Start *take() {
    Locked locked(lock_);
    if (!free_) {
      constexpr size_t batch = 65536;
      Start *fresh = (Start *)map_far_away(batch, -1);
      if (!fresh) return nullptr;
      for (size_t i = 0; i < batch / sizeof(Start); i++) {
        fresh[i].next = free_;
        free_ = &fresh[i];
      }
    }
    Start *start = free_;
    free_ = start->next;
    return start;
  }
  void give_back(Start *start) {
    Locked locked(lock_);
    start->next = free_;
    free_ = start;
  }

private:
  Start *free_ = nullptr;
  uint32_t lock_ = 0;
};

} // namespace dprof
