// Stage: replay. Synchronisation on numbered objects (locks, atomics, threads): the acquires and releases that are
// still to be issued, and the clocks of the releases that were. docs/replay/order.md, 2 and 3.
#pragma once

#include <optional>
#include <vector>

#include "base/no_index.h"
#include "base/node_table.h"
#include "trace/sync_object.h"

namespace dprof {

/// A release that an acquire has to wait for.
struct Blocker {
  uint32_t thread;
  uint64_t key;
  bool mayBindNobody = false; // the blocker is a free that gives no size: perhaps it frees nothing
};

/// The key with which the memory of an object began; what has smaller keys was another object there.
using Birth = std::optional<uint64_t>;

/// An object's acquires and releases stand in a list in the order of their keys, from their announcement on. Those at
/// its head that were issued are summed: nothing asks for them one by one any more, as all acquires with smaller keys
/// were issued too. So a list is mostly of one entry.
class SyncObjects {
public:
  /// `keepsSummed`: acquires may give a birth, so what was summed must be known one by one for as long as it may raise
  /// a clock.
  /// `inOrder`: acquires are announced in the order of keys, and so is all before them.
  SyncObjects(bool keepsSummed, bool inOrder) : keepsSummed_(keepsSummed), inOrder_(inOrder) {}

  /// Announces an acquire or a release, and returns its entry.
  uint32_t announce(const SyncObject &object, uint32_t thread, uint64_t key, bool releases);
  /// The entry's thread issues it at this clock.
  void issue(uint32_t number, uint64_t clock) {
    Entry &entry = entries_[number];
    entry.clock = clock;
    if (Object &object = objects_[entry.object]; object.open == number) advance(object);
  }
  /// The entry, an acquire that gives no birth, need neither wait nor raise its thread's clock. Not every such one is
  /// known.
  bool isFree(uint32_t entry, uint64_t clock) const { return entries_[entry].acquired <= clock; }
  uint32_t objectOf(uint32_t entry) const { return entries_[entry].object; }
  /// 0: it has no entry.
  uint32_t find(const SyncObject &object) const { return objects_.find({object}); }

  /// A release of the object, by another thread, that an acquire with this key has to wait for: one above `birth` if
  /// there is one. If there is none, `clock` becomes the largest clock of such releases.
  std::optional<Blocker> blocker(uint32_t object, uint32_t thread, uint64_t key, Birth birth, uint64_t &clock);

  /// All acquires and releases below this key are announced.
  void knowTo(uint64_t key) { known_ = std::max(known_, key); }
  uint64_t known() const { return known_; }
  /// No clock of a thread that is not finished will be below this one.
  void leastClock(uint64_t clock) { least_ = clock; }
  bool wantsForget() const { return objects_.size() >= threshold_; }
  /// Forgets objects that cannot raise a clock any more.
  void forget();

private:
  static constexpr uint64_t LEAST_KEPT = 1 << 12, NOT_ISSUED = ~uint64_t{0}, NOT_KNOWN = ~uint64_t{0};
  struct Entry {
    uint64_t key, clock;
    uint64_t acquired; // the clock of all before it, once they are all summed; until then NOT_KNOWN
    uint32_t next, object;
    uint32_t thread : 31, releases : 1;
  };
  struct Object {
    struct Key : SyncObject {
      uint64_t hash() const { return (number ^ uint64_t{kind} << 56) * 0x9e3779b97f4a7c15ull; }
    };
    Key of;
    uint32_t next;                          // the table's
    uint32_t first = 0, open = 0, last = 0; // entries; `open`: the first that is not summed
    uint32_t late = 0;                      // entry: the last that came late, if it is left
    uint32_t thread = NO_INDEX;             // that has the largest clock of the summed ones
    uint64_t clock = 0, clockOfOthers = 0;
    bool lives = true;
    const Key &key() const { return of; }
  };
  bool hasPendingTwin(const Entry &entry) const;
  void sum(Object &object);
  void advance(Object &object);
  void insert(Object &object, uint32_t entry);
  std::optional<Blocker> blockerSince(const Object &object, uint32_t thread, uint64_t key, uint64_t birth,
                                      uint64_t &clock) const;

  const bool keepsSummed_, inOrder_;
  NodeTable<Object> objects_;
  std::vector<Entry> entries_{1};
  uint32_t unused_ = 0;
  uint64_t known_ = 0, least_ = 0, threshold_ = LEAST_KEPT;
};

} // namespace dprof
