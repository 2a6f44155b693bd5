// Stage: replay. Releases by object: which are still to be issued, and the clocks of those that were. Objects are numbers (locks,
// atomics, threads) or address ranges (memory that is given back and handed out again).
#pragma once

#include <map>
#include <optional>

#include "stamp_queue.h"
#include "thread_run.h"

namespace dprof {

/// A release that an acquire has to wait for.
struct Blocker {
  uint32_t thread;
  uint64_t key;
  bool mayBindNobody = false; // a free of an address, where nothing may be then
};

class Releases {
public:
  void announce(uint32_t thread, uint64_t key) {
    lane(thread).unissued.push_back(key);
    unissued_++;
  }
  /// The thread's first announced release happened; it counts at `clock` unless it turned out to bind nobody.
  void retire(uint32_t thread) {
    lane(thread).unissued.pop_front();
    unissued_--;
  }
  void issue(uint32_t thread, uint64_t key, uint64_t clock) { lane(thread).issued.push_back({key, clock}); }

  std::optional<Blocker> blocker(uint32_t thread, uint64_t key) const;
  /// Largest clock of other threads' releases with a smaller key.
  uint64_t clock(uint32_t thread, uint64_t key) const;
  /// Forgets what cannot raise a clock any more. True if nothing is left.
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
};

class SyncTable {
public:
  void announce(uint32_t thread, const Event &event);
  void issue(uint32_t thread, const Event &event, uint64_t freedBytes, uint64_t clock);
  std::optional<Blocker> blocker(uint32_t thread, const Event &event);
  uint64_t clock(uint32_t thread, const Event &event);
  bool wantsForget() const { return kept_ >= threshold_; }
  void forget(uint64_t clock);

private:
  static constexpr uint64_t LEAST_KEPT = 1 << 12;
  using Range = std::pair<uint64_t, uint64_t>; // start, size
  template <typename Visit> void eachAcquired(uint32_t thread, const Event &event, Visit visit);
  template <typename Visit> void eachOverlapping(uint64_t start, uint64_t size, Visit visit);
  Releases &range(uint64_t start, uint64_t size);

  std::unordered_map<SyncObject, Releases, SyncHash> objects_;
  std::map<Range, Releases> ranges_[65]; // by bits of the size, so that a search starts at most one size before the address
  uint64_t kept_ = 0, threshold_ = LEAST_KEPT;
};

} // namespace dprof
