// Stage: runtime, and what the collectors preload. What a new thread must know before its own code runs: handed from
// the thread that creates it. Not from the program's heap, whose addresses stay as they are.
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
  // Around a fork: its child has the list as it is between two calls, and may create threads.
  void hold() { take_lock(&lock_); }
  void release() { give_lock(&lock_); }

private:
  Start *free_ = nullptr;
  uint32_t lock_ = 0;
};

} // namespace dprof
