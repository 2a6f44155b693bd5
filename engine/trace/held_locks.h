// Stage: replay. Which locks a thread holds. A thread with a lock does not choose when its lines come
// (docs/replay/attribution.md).
#pragma once

#include <unordered_map>

#include "trace/event.h"

namespace dprof {

struct SyncObject {
  uint64_t number;
  uint8_t kind;
  bool operator==(const SyncObject &) const = default;
};
struct SyncHash {
  size_t operator()(const SyncObject &object) const {
    return (object.number ^ uint64_t{object.kind} << 56) * 0x9e3779b97f4a7c15ull >> 7;
  }
};

/// An acquisition or release of a mutex, rwlock, spinlock or semaphore.
inline bool isOfLock(const Event &event) {
  bool lock = event.detail == DPROF_SYNC_MUTEX || event.detail == DPROF_SYNC_RWLOCK ||
              event.detail == DPROF_SYNC_SPINLOCK || event.detail == DPROF_SYNC_SEMAPHORE;
  return lock && (event.code == DPROF_EVENT_ACQUIRE || event.code == DPROF_EVENT_RELEASE);
}

class HeldLocks {
public:
  bool any() const { return count_ != 0; }
  void see(const Event &event) {
    if (isGap(event)) *this = HeldLocks(); // where it released them is not known
    if (!isOfLock(event)) return;
    uint64_t &held = held_[{event.address, event.detail}];
    if (event.code == DPROF_EVENT_ACQUIRE) {
      held++;
      count_++;
    } else if (held) {
      held--;
      count_--;
    }
    if (!held) held_.erase({event.address, event.detail});
  }
  /// Keeps only the count.
  void forget() { decltype(held_)().swap(held_); }

private:
  uint64_t count_ = 0;
  std::unordered_map<SyncObject, uint64_t, SyncHash> held_;
};

} // namespace dprof
