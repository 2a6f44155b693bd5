// Stage: replay. What a synchronisation event is of.
#pragma once

#include <cstdint>

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

/// A release or an acquire of a numbered object, or both.
inline bool isSynchronisation(uint8_t code) {
  static_assert(DPROF_EVENT_ACQUIRE == DPROF_EVENT_RELEASE + 1 && DPROF_EVENT_BOTH == DPROF_EVENT_RELEASE + 2);
  return code >= DPROF_EVENT_RELEASE && code <= DPROF_EVENT_BOTH;
}

/// An acquisition or release of a mutex, rwlock, spinlock or semaphore.
inline bool isOfLock(const Event &event) {
  bool lock = event.detail == DPROF_SYNC_MUTEX || event.detail == DPROF_SYNC_RWLOCK ||
              event.detail == DPROF_SYNC_SPINLOCK || event.detail == DPROF_SYNC_SEMAPHORE;
  return lock && (event.code == DPROF_EVENT_ACQUIRE || event.code == DPROF_EVENT_RELEASE);
}

} // namespace dprof
