// Stage: replay. Acquisitions and releases of locks, and the references between them -> the cost of each lock.
// docs/threads.md, "Locks". Locks with the same reading share one row from the start: many lie in objects that come and
// go.
#pragma once

#include <map>
#include <unordered_map>

#include "base/node_table.h"
#include "batch/reference_batch.h"
#include "objects/labels.h"
#include "trace/sync_object.h"

namespace dprof {

class LockAccounts : public LifeEnds {
public:
  struct Data {
    uint32_t lock, label;
    uint64_t references, misses, trueSharing, falseSharing;
  };
  struct Caller {
    CallStack::Path path;
    uint64_t acquisitions;
  };
  struct Lock {
    uint8_t kind;
    uint32_t label, leaf, variable;
    uint64_t locks, acquisitions, waits, wait, longestWait, holds, hold, longestHold;
    std::map<uint32_t, uint64_t> byThread; // acquisitions
    std::map<CallStack::Path, size_t> callerOf;
    std::vector<Caller> callers; // in the order in which they came first
  };
  LockAccounts(const Input &input, const Plans &plans, Objects &objects, Labels &labels, PageMap &pages)
      : lineMask_((1u << input.machine.lineShift) - 1), input_(input), plans_(plans), objects_(objects),
        labels_(labels), pages_(pages), lately_(LATELY) {}

  /// A batch comes. The batch before must have been passed to its end.
  void begin(const ReferenceBatch &batch);
  /// Passes the batch's references up to `end`. Among them no object and no lock changes.
  void passTo(const ReferenceBatch &batch, uint32_t end);
  /// Passes the next event of the batch.
  void event(const ReferenceBatch &batch, uint32_t thread, const Event &event);
  void endLife(uint32_t live) override;
  /// A window begins: held locks stay held.
  void restart();

  // The results so far: empty if the program had one thread only, so nobody could wait.
  size_t count() const { return isOfSeveral_ ? locks_.size() : 0; }
  const Lock &operator[](size_t lock) const { return locks_[lock]; }
  std::vector<Data> data() const { return isOfSeveral_ ? data_ : std::vector<Data>(); }
  std::vector<uint64_t> unreleased() const;

private:
  struct Hold {
    uint64_t object;
    uint8_t kind;
    uint32_t lock;
    uint64_t depth, since;
  };
  struct Wait { // for a semaphore: a hold if the thread itself posts it next
    uint32_t lock;
    uint64_t since;
  };
  struct Known {
    struct Key {
      uint64_t address;
      uint32_t live;
      uint8_t kind;
      bool operator==(const Key &) const = default;
      uint64_t hash() const { return (address ^ uint64_t{live} << 40 ^ kind) * 0x9e3779b97f4a7c15ull; }
    };
    uint64_t address;
    uint32_t live; // objects.h; 0: in no object
    uint8_t kind;
    uint32_t lock, next; // of the object
    Key key() const { return {address, live, kind}; }
  };
  using Name = std::tuple<uint8_t, uint32_t, uint32_t, uint32_t>;
  struct Lately {
    uint64_t key = ~uint64_t{0};
    uint32_t row = 0;
  };
  static constexpr size_t LATELY = 256;

  void acquire(uint32_t thread, const Event &event, const LockStep &step);
  void release(uint32_t thread, const Event &event, uint64_t clock);
  void endHold(uint32_t lock, uint64_t length);
  void forgetHolds(uint32_t thread);
  uint32_t lockAt(const Event &event);
  uint32_t lockNamed(uint8_t kind, LiveObject *object, uint64_t address);
  void count(uint32_t lock, uint32_t slot, uint32_t granule, uint64_t address, uint32_t bits);
  Data &dataOf(uint32_t lock, uint32_t label);
  std::vector<Hold> &heldBy(uint32_t thread) {
    if (thread >= held_.size()) held_.resize(std::max<size_t>(thread + 1, held_.size() * 2));
    return held_[thread];
  }

  const uint32_t lineMask_;
  const Input &input_;
  const Plans &plans_;
  Objects &objects_;
  Labels &labels_;
  PageMap &pages_;
  bool isOfSeveral_ = false; // threads have taken steps
  size_t holding_ = 0;       // holds of all threads
  std::vector<Lock> locks_;
  std::map<Name, uint32_t> numbers_;
  NodeTable<Known> known_;
  std::vector<uint32_t> firstOf_;                          // by live object: the first lock in it
  std::vector<std::vector<Hold>> held_;                    // by thread, in the order in which holds began
  std::vector<std::unordered_map<uint64_t, Wait>> waited_; // by thread and semaphore: the last, if not posted since
  std::vector<Data> data_;
  std::unordered_map<uint64_t, uint32_t> rows_; // lock and label -> row of `data_`
  std::vector<Lately> lately_;                  // some of them, by hash
  // The position in the batch.
  uint32_t at_ = 0, thread_ = 0;
  size_t nextThread_ = 0, nextStep_ = 0;
  const OddAccess *odd_ = nullptr;
  const Outcome *outcome_ = nullptr;
};

} // namespace dprof
