// Stage: replay. Entries are announced in the order of their keys, but for those of a live trace whose other threads'
// events have not come.
#include "order/sync_objects.h"

#include <algorithm>
#include <utility>

namespace dprof {

/// Whether an entry with the same key, which stands behind, was not issued yet.
inline bool SyncObjects::hasPendingTwin(const Entry &entry) const {
  for (uint32_t at = entry.next; at && entries_[at].key == entry.key; at = entries_[at].next)
    if (entries_[at].clock == NOT_ISSUED) return true;
  return false;
}

/// Sums the releases that nobody asks for one by one any more.
[[gnu::always_inline]] inline void SyncObjects::sum(Object &object) {
  uint32_t at = object.open;
  for (; at; at = entries_[at].next) {
    const Entry &entry = entries_[at];
    if (entry.clock == NOT_ISSUED || entry.key >= known_ || hasPendingTwin(entry)) break;
    if (!entry.releases) continue;
    if (entry.thread == object.thread) {
      object.clock = entry.clock;
    } else if (entry.clock > object.clock) {
      object.clockOfOthers = std::exchange(object.clock, entry.clock);
      object.thread = entry.thread;
    } else {
      object.clockOfOthers = std::max(object.clockOfOthers, entry.clock);
    }
  }
  object.open = at;
  while (object.first != at) {
    Entry &entry = entries_[object.first];
    if (keepsSummed_ && entry.releases && entry.clock > least_) break;
    if (object.first == object.late) object.late = 0;
    object.first = std::exchange(entry.next, unused_);
    unused_ = static_cast<uint32_t>(&entry - entries_.data());
  }
}

/// The same. Then the first that is left acquires all that was summed, and nothing else.
void SyncObjects::advance(Object &object) {
  sum(object);
  if (!inOrder_ || !object.open) return;
  Entry &first = entries_[object.open];
  first.acquired = object.thread == first.thread ? object.clockOfOthers : object.clock;
}

uint32_t SyncObjects::announce(const SyncObject &of, uint32_t thread, uint64_t key, bool releases) {
  uint32_t number = objects_.find({of});
  if (!number) [[unlikely]]
    number = objects_.add({.of = {of}, .next = 0});
  Object &object = objects_[number];
  uint32_t entry = unused_;
  if (entry) [[likely]] {
    unused_ = entries_[entry].next;
  } else {
    entry = static_cast<uint32_t>(entries_.size());
    entries_.emplace_back();
  }
  entries_[entry] = {key, NOT_ISSUED, NOT_KNOWN, 0, number, thread, releases};
  insert(object, entry);
  if (object.open == entry || entries_[object.open].clock != NOT_ISSUED) advance(object);
  return entry;
}

inline void SyncObjects::insert(Object &object, uint32_t number) {
  Entry &entry = entries_[number];
  if (!object.first) {
    object.first = object.open = object.last = number;
  } else if (entries_[object.last].key <= entry.key || !object.open) [[likely]] {
    entries_[object.last].next = number;
    object.last = number;
    if (!object.open) object.open = number;
  } else { // it came late, but all that is summed has smaller keys
    uint32_t before = 0, at = object.first;
    auto pass = [&] { before = std::exchange(at, entries_[at].next); };
    // A thread's late entries come in the order of their keys: the search goes on where the one before it ended.
    const uint64_t late = entries_[object.late].key; // 0: none
    if (late > entries_[object.open].key && late <= entry.key)
      at = entries_[before = object.late].next;
    else
      while (at != object.open) pass();
    while (entries_[at].key <= entry.key) pass();
    entry.next = at;
    (before ? entries_[before].next : object.first) = number;
    if (at == object.open) object.open = number;
    object.late = number;
  }
}

std::optional<Blocker> SyncObjects::blocker(uint32_t number, uint32_t thread, uint64_t key, Birth birth,
                                            uint64_t &clock) {
  Object &object = objects_[number];
  sum(object);
  if (birth) [[unlikely]]
    return blockerSince(object, thread, key, *birth, clock);
  uint64_t most = object.thread == thread ? object.clockOfOthers : object.clock;
  for (uint32_t at = object.open; at && entries_[at].key < key; at = entries_[at].next) {
    const Entry &entry = entries_[at];
    if (!entry.releases || entry.thread == thread) continue;
    if (entry.clock == NOT_ISSUED) return Blocker{entry.thread, entry.key};
    most = std::max(most, entry.clock);
  }
  clock = most;
  return std::nullopt;
}

std::optional<Blocker> SyncObjects::blockerSince(const Object &object, uint32_t thread, uint64_t key, uint64_t birth,
                                                 uint64_t &clock) const {
  uint64_t most = 0;
  for (uint32_t at = object.first; at && entries_[at].key < key; at = entries_[at].next) {
    const Entry &entry = entries_[at];
    if (!entry.releases || entry.thread == thread || entry.key <= birth) continue;
    if (entry.clock == NOT_ISSUED) return Blocker{entry.thread, entry.key};
    most = std::max(most, entry.clock);
  }
  clock = most;
  return std::nullopt;
}

void SyncObjects::forget() {
  for (uint32_t number = 1; number < objects_.end(); number++) {
    Object &object = objects_[number];
    if (!object.lives) continue;
    sum(object);
    if (object.first || object.clock > least_) continue;
    object.lives = false;
    objects_.remove(number);
  }
  threshold_ = std::max(LEAST_KEPT, objects_.size() * 2);
}

} // namespace dprof
