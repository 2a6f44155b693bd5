// Stage: replay. docs/replay/order.md, 2 and 3: the releases of memory for which an acquire waits, and the clock to
// which it rises.
#include "order/sync_table.h"

#include <bit>

namespace dprof {

Releases::Lane &Releases::lane(uint32_t thread) {
  for (Lane &lane : lanes_)
    if (lane.thread == thread) return lane;
  lanes_.push_back({thread, {}, {}});
  return lanes_.back();
}

std::optional<Blocker> Releases::blocker(uint32_t thread, uint64_t key, Birth birth) const {
  if (!unissued_) return std::nullopt;
  for (const Lane &lane : lanes_) {
    if (lane.thread == thread) continue;
    auto first = birth ? std::upper_bound(lane.unissued.begin(), lane.unissued.end(), *birth) : lane.unissued.begin();
    if (first != lane.unissued.end() && *first < key) return Blocker{lane.thread, *first, mayBindNobody_};
  }
  return std::nullopt;
}

uint64_t Releases::clock(uint32_t thread, uint64_t key, Birth birth) const {
  uint64_t most = 0;
  for (const Lane &lane : lanes_) {
    if (lane.thread == thread) continue;
    auto after = std::partition_point(lane.issued.begin(), lane.issued.end(),
                                      [&](const Issued &issued) { return issued.key < key; });
    if (after == lane.issued.begin()) continue;
    const Issued &last = *std::prev(after);
    if (!birth || last.key > *birth) most = std::max(most, last.clock);
  }
  return most;
}

bool Releases::forget(uint64_t clock) {
  for (Lane &lane : lanes_) {
    auto kept = std::partition_point(lane.issued.begin(), lane.issued.end(),
                                     [&](const Issued &issued) { return issued.clock <= clock; });
    lane.issued.erase(lane.issued.begin(), kept);
  }
  std::erase_if(lanes_, [](const Lane &lane) { return lane.issued.empty() && lane.unissued.empty(); });
  return lanes_.empty();
}

Releases &SyncTable::range(uint64_t start, uint64_t size) { return ranges_[std::bit_width(size)][{start, size}]; }

uint32_t SyncTable::announceOther(uint32_t thread, const Event &event) {
  switch (event.code) {
    case DPROF_EVENT_THREAD_START:
      return objects.announce({thread, DPROF_SYNC_THREAD_CREATE}, thread, event.stamp, false);
    case DPROF_EVENT_ALLOCATE: allocated_.allocate(event); return 0;
    case DPROF_EVENT_FREE: {
      if (!freesRange(event)) return 0;
      uint64_t guess = allocated_.free(event);
      Releases &releases = range(event.address, event.size ? event.size : guess);
      releases.announce(thread, event.stamp);
      if (event.size) return 0;
      releases.mayBindNobody();
      sizesAhead_[thread].push_back(guess);
      return 0;
    }
    case DPROF_EVENT_THREAD_END:
      if (event.size) range(event.address, event.size).announce(thread, event.stamp);
      return objects.announce({thread, DPROF_SYNC_THREAD_JOIN}, thread, event.stamp, true);
    default: return 0;
  }
}

void SyncTable::issue(uint32_t thread, const Event &event, uint64_t freedBytes, uint64_t clock) {
  auto done = [&](Releases &releases) {
    releases.retire(thread);
    releases.issue(thread, event.stamp, clock);
    kept_++;
  };
  if (event.code == DPROF_EVENT_THREAD_END) {
    if (event.size) done(range(event.address, event.size));
  } else if (freesRange(event)) {
    if (event.size) {
      done(range(event.address, event.size));
    } else { // now its size is known
      range(event.address, sizeAhead(thread)).retire(thread);
      if (freedBytes) range(event.address, freedBytes).issue(thread, event.stamp, clock);
      kept_++;
    }
  }
}

/// The size with which the thread's first announced free that gives no size was announced.
uint64_t SyncTable::sizeAhead(uint32_t thread) {
  auto found = sizesAhead_.find(thread);
  uint64_t size = found->second.front();
  found->second.pop_front();
  if (found->second.empty()) sizesAhead_.erase(found);
  return size;
}

template <typename Visit> void SyncTable::eachOverlapping(uint64_t start, uint64_t size, Visit visit) {
  if (size == 0) return;
  uint64_t last = size - 1 > ~start ? ~uint64_t{0} : start + (size - 1);
  for (unsigned bits = 0; bits <= 64; bits++) {
    if (ranges_[bits].empty()) continue;
    uint64_t longest = bits == 0 ? 1 : bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    uint64_t from = start >= longest ? start - longest + 1 : 0;
    for (auto at = ranges_[bits].lower_bound({from, 0}); at != ranges_[bits].end() && at->first.first <= last; ++at) {
      auto [begin, bytes] = at->first;
      if (begin >= start || start - begin < bytes) visit(at->second);
    }
  }
}

std::optional<SyncObject> SyncTable::acquired(uint32_t thread, const Event &event) {
  if (event.code == DPROF_EVENT_THREAD_START) return SyncObject{thread, DPROF_SYNC_THREAD_CREATE};
  if (event.code != DPROF_EVENT_ACQUIRE && event.code != DPROF_EVENT_BOTH) return std::nullopt;
  return SyncObject{event.address, event.detail};
}

std::optional<Blocker> SyncTable::memoryBlocker(uint32_t thread, const Event &event, Birth birth) {
  std::optional<Blocker> found;
  if (!takesMemory(event)) return found;
  eachOverlapping(event.address, event.size, [&](const Releases &releases) {
    if (!found) found = releases.blocker(thread, event.stamp, birth);
  });
  return found;
}

uint64_t SyncTable::memoryClock(uint32_t thread, const Event &event) {
  uint64_t most = 0;
  if (!takesMemory(event)) return most;
  eachOverlapping(event.address, event.size, [&](const Releases &releases) {
    most = std::max(most, releases.clock(thread, event.stamp, std::nullopt));
  });
  return most;
}

void SyncTable::forget(uint64_t clock) {
  if (kept_ >= threshold_) forgetRanges(clock);
  objects.leastClock(clock);
  if (objects.wantsForget()) objects.forget();
}

void SyncTable::forgetRanges(uint64_t clock) {
  kept_ = 0;
  for (auto &table : ranges_)
    for (auto at = table.begin(); at != table.end();) {
      if (at->second.forget(clock))
        at = table.erase(at);
      else {
        kept_++;
        ++at;
      }
    }
  threshold_ = std::max<uint64_t>(LEAST_KEPT, kept_ * 2);
}

} // namespace dprof
