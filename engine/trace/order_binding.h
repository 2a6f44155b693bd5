// Stage: replay. What binds a thread's order to the recording's: locks that it holds, a system call that it waited in,
// a message. Such a thread does not choose when its lines come (docs/replay/attribution.md).
#pragma once

#include <unordered_map>

#include "trace/sync_object.h"

namespace dprof {

/// All threads of a team, or a thread and its creator, begin anew at the same time.
inline bool isMeeting(const Event &event) {
  return event.detail == DPROF_SYNC_BARRIER || event.detail == DPROF_SYNC_TEAM ||
         event.detail == DPROF_SYNC_THREAD_CREATE || event.detail == DPROF_SYNC_THREAD_JOIN;
}

class OrderBinding {
public:
  bool isBound() const { return count_ != 0 || waited_; }
  void see(const Event &event) {
    if (isGap(event)) *this = OrderBinding(); // where it released them is not known
    if (event.code == DPROF_EVENT_BLOCKED) waited_ = true;
    if (event.code != DPROF_EVENT_ACQUIRE && event.code != DPROF_EVENT_RELEASE) return;
    if (event.code == DPROF_EVENT_ACQUIRE && event.detail == DPROF_SYNC_FILE) waited_ = true;
    if (isMeeting(event)) waited_ = false;
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
  /// Keeps only whether it is bound.
  void forget() { decltype(held_)().swap(held_); }

private:
  uint64_t count_ = 0;
  bool waited_ = false; // in a system call, or read a message; and met no other thread since
  std::unordered_map<SyncObject, uint64_t, SyncHash> held_;
};

} // namespace dprof
