// Stage: runtime, and what the collectors preload. Memory for calls that the search for the real allocator makes
// itself, before it is found.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace dprof {

// Never given back; `allocate` returns null when the room is used up.
class FirstAllocations {
public:
  void *allocate(size_t bytes) {
    const size_t rounded = (bytes + 15) & ~(size_t)15;
    if (rounded > sizeof room_ - used_) return nullptr;
    void *at = room_ + used_;
    used_ += rounded;
    return at;
  }
  bool holds(const void *p) const { return (uintptr_t)p - (uintptr_t)room_ < sizeof room_; }
  // Bytes from one of its own allocations to the end of the room: at least the requested size.
  size_t bytes_behind(const void *p) const { return (size_t)(room_ + sizeof room_ - (const char *)p); }

private:
  alignas(16) char room_[4096] = {};
  size_t used_ = 0;
};

} // namespace dprof
