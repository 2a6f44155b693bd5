// Stage: replay. What events synchronise on: numbered objects (sync_objects.h), or address ranges (memory that is given
// back and handed out again). Of ranges, which releases are still to be issued, and the clocks of those that were.
#pragma once

#include <map>

#include "order/front_queue.h"
#include "order/sync_objects.h"
#include "order/thread_run.h"

namespace dprof {

/// Releases of a range.
class Releases {
public:
  void announce(uint32_t thread, uint64_t key) {
    lane(thread).unissued.push_back(key);
    unissued_++;
  }
  /// The thread's first announced release happened. It counts at `clock` unless it freed nothing.
  void retire(uint32_t thread) {
    lane(thread).unissued.pop_front();
    unissued_--;
  }
  void issue(uint32_t thread, uint64_t key, uint64_t clock) { lane(thread).issued.push_back({key, clock}); }

  /// An announced release may turn out to free nothing.
  void mayBindNobody() { mayBindNobody_ = true; }

  /// The first of other threads' releases with a smaller key, above `birth` if there is one.
  std::optional<Blocker> blocker(uint32_t thread, uint64_t key, Birth birth) const;
  /// Largest clock of such releases.
  uint64_t clock(uint32_t thread, uint64_t key, Birth birth) const;
  /// Forgets releases that cannot raise a clock any more. True if nothing is left.
  bool forget(uint64_t clock);

private:
  struct Issued {
    uint64_t key, clock;
  };
  struct Lane {
    uint32_t thread;
    StampQueue unissued;
    std::vector<Issued> issued; // keys and clocks rise
  };
  Lane &lane(uint32_t thread);
  std::vector<Lane> lanes_;
  size_t unissued_ = 0; // of all lanes
  bool mayBindNobody_ = false;
};

/// The size of the last allocation at an address, in recorded time. A free that gives no size releases that much.
class AllocatedSizes {
public:
  void allocate(const Event &event) { sizes_[keyOf(event)] = event.size; }
  /// Returns 1 if the size is unknown: at least the byte at the address is freed.
  uint64_t free(const Event &event) {
    auto found = sizes_.find(keyOf(event));
    uint64_t known = found == sizes_.end() ? 0 : found->second;
    if (found != sizes_.end()) sizes_.erase(found);
    return known ? known : 1;
  }

private:
  /// Parts have a key space of their own.
  static SyncObject keyOf(const Event &event) { return {event.address, uint8_t{event.detail == DPROF_ALLOCATOR_PART}}; }
  std::unordered_map<SyncObject, uint64_t, SyncHash> sizes_;
};

class SyncTable {
public:
  SyncTable(bool hasBirths, bool inOrder) : objects(hasBirths, inOrder) {}

  SyncObjects objects;

  /// Announces an event, and returns its entry among `objects`, 0 for none. Allocations and frees of all threads must
  /// be announced in the order of stamps.
  [[gnu::always_inline]] uint32_t announce(uint32_t thread, const Event &event) {
    if (!isSynchronisation(event.code)) [[unlikely]]
      return announceOther(thread, event);
    return objects.announce({event.address, event.detail}, thread, event.stamp, event.code != DPROF_EVENT_ACQUIRE);
  }
  /// A release, which may be one of memory.
  void issue(uint32_t thread, const Event &event, uint64_t freedBytes, uint64_t clock);
  /// The object that an event may acquire.
  static std::optional<SyncObject> acquired(uint32_t thread, const Event &event);
  /// Memory that was not given back, for which the event has to wait.
  std::optional<Blocker> memoryBlocker(uint32_t thread, const Event &event, Birth birth);
  uint64_t memoryClock(uint32_t thread, const Event &event);
  bool wantsForget() const { return kept_ >= threshold_ || objects.wantsForget(); }
  void forget(uint64_t clock);

private:
  static constexpr uint64_t LEAST_KEPT = 1 << 12;
  uint32_t announceOther(uint32_t thread, const Event &event);
  using Range = std::pair<uint64_t, uint64_t>; // start, size
  uint64_t sizeAhead(uint32_t thread);
  template <typename Visit> void eachOverlapping(uint64_t start, uint64_t size, Visit visit);
  Releases &range(uint64_t start, uint64_t size);
  void forgetRanges(uint64_t clock);

  std::map<Range, Releases>
      ranges_[65]; // by bits of the size, so that a search starts at most one size before the address
  AllocatedSizes allocated_;
  std::unordered_map<uint32_t, StampQueue>
      sizesAhead_; // by thread: the sizes with which its announced frees without a size were announced
  uint64_t kept_ = 0, threshold_ = LEAST_KEPT;
};

} // namespace dprof
