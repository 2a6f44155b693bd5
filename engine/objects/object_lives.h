// Stage: trace -> replay. Tracks which objects live, from the reports of the program and its runtime: an object begins,
// ends, or ends together with another. Derived classes keep further facts about objects; the order of threads needs
// only the lives.
#pragma once

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/huge_vector.h"
#include "dprof/abi.h"
#include "objects/address_map.h"
#include "objects/object_counters.h"
#include "objects/pending.h"
#include "trace/input.h"

namespace dprof {

enum ObjectKind : uint8_t { HEAP, GLOBAL, THREAD_LOCAL, STACK };

/// Bits of `flags`. From OBJECT_HOLDS_MORE on they are no flags of the result: OBJECT_LOADED is for the object's
/// counters; the others say that its declared type does not decide every reference (memory.h).
enum ObjectFlag : uint8_t {
  OBJECT_BOUNCED = 1,
  OBJECT_WRITE_SHARED = 2,
  OBJECT_IS_PART = 4,
  OBJECT_FREED = 8,
  OBJECT_FREED_ELSEWHERE = 16,
  OBJECT_HOLDS_MORE = 32, // than its declared struct
  OBJECT_LOADED = 64,
  OBJECT_MEMORY = 128, // its declared type is no struct
  OBJECT_RESULT = OBJECT_HOLDS_MORE - 1,
  OBJECT_IS_POOL = 32 // in the result only
};

struct alignas(64) LiveObject {
  // References read and write these: one host cache line.
  uint64_t start, size;
  uint64_t references; // all except those that `votes` or `pending` count
  uint32_t declared;
  uint8_t kind, flags, lastCore /* + 1 */, fromRecord /* made by an ALLOCATION record */;
  Votes votes;
  Pending *pending;

  uint64_t lifeSequence; // when its present life began; 0: not alive
  uint32_t slot;         // heap: the allocation's, NO_INDEX unknown
  uint32_t slotOffset;   // heap: offset of the declared type in the allocation
  uint32_t id, variable, thread;
  union {
    uint32_t frameIndex; // stack: its place in ThreadObjects::framed
    uint32_t callPath;   // heap: the thread's call path to the allocation
  };
  bool mapped;        // heap: by mmap
  bool part;          // heap: handed out of other memory by an allocator of the program's own
  uint8_t core;       // the core of its thread when the object was made
  bool hidden : 1;    // by another object over it, somewhere, at some time in its present life
  bool keepsHits : 1; // HitKeeper has some of it
  union {
    uint32_t siteLabel;    // heap: label of its slot and size; 0: nobody asked yet
    uint32_t earlierLives; // stack: its place in Objects::stackLives_
  };
  uint64_t bornAt; // in its present life
  ObjectCounts counts;
};

static_assert(sizeof(LiveObject) == 128);

struct NewObject {
  uint64_t start, size;
  ObjectKind kind;
  uint32_t variable, type, slot; // a stack object without a variable: its slot and the slot's type
  uint32_t thread;
  uint64_t now;
  bool part = false;
};

inline uint64_t lastOf(uint64_t start, uint64_t size) { return size - 1 > ~start ? ~uint64_t{0} : start + (size - 1); }

class ObjectLives {
public:
  explicit ObjectLives(const Input &input) : input_(input) {}
  virtual ~ObjectLives() = default;

  void allocate(uint32_t thread, uint64_t address, uint64_t size, uint8_t allocator, uint64_t pool, uint64_t now);
  void allocationRecord(uint32_t thread, uint64_t address, uint64_t size, uint32_t slot, uint32_t callPath,
                        uint64_t now);
  void free(uint32_t thread, uint64_t address, uint64_t size, uint8_t allocator, uint64_t now);
  void freeRecord(uint32_t thread, uint64_t address, uint32_t slot, uint64_t now);
  /// Size of the live heap object (of the live part, if `allocator` is a part's) that starts at the address; 0 if there
  /// is none.
  uint64_t heapSize(uint64_t address, uint8_t allocator);
  void threadLocal(uint32_t thread, uint32_t unit, uint32_t variable, uint64_t address, uint64_t now);
  void enterFrame(uint32_t thread, uint32_t function, const std::vector<NewObject> &objects);
  void leaveFrame(uint32_t thread, uint32_t function, uint64_t now);
  /// A stack's memory was given to the thread: what the heap had there before is forgotten.
  void beginThread(uint64_t stack, uint64_t size) {
    if (size) reused(stack, lastOf(stack, size));
  }
  void endThread(uint32_t thread, uint64_t now);
  /// Sets the core of the thread whose changes come next.
  void onCore(uint16_t core) { core_ = static_cast<uint8_t>(core); }
  uint32_t core() const { return core_; }
  /// Lives begun so far.
  uint64_t lifeSequence() const { return lifeSequence_; }

protected:
  // Hooks for derived classes that keep more facts about an object.
  virtual void made(LiveObject &, const NewObject &) {}
  virtual void begun(uint32_t /* live */, uint64_t /* now */) {}
  /// The object is in no index any more.
  virtual void ended(uint32_t /* live */, uint32_t /* freeSlot */, uint64_t /* now */) {}
  virtual void reused(uint64_t /* begin */, uint64_t /* last */) {}
  virtual void allocatedAt(LiveObject &, uint32_t /* slot */, uint32_t /* callPath */) {}
  /// Live globals that have any of these bytes end.
  virtual void endGlobals(uint64_t /* begin */, uint64_t /* last */, uint64_t /* now */) {}
  virtual void makeGlobal(uint32_t /* variable */, uint64_t /* address */, uint64_t /* now */) {}
  /// Ends the present life. The caller has taken the object out of its index.
  void end(uint32_t live, uint32_t freeSlot, uint64_t now);

  struct Frame {
    uint32_t function, begin, alive;
  };
  struct ThreadObjects {
    std::vector<uint32_t> byAddress; // live stack objects, highest address first
    uint64_t largest = 0;            // size of any of them, ever
    std::vector<uint32_t> framed;    // in order of creation, 0: ended
    std::vector<Frame> frames;
    std::vector<uint32_t> locals;
    uint64_t freeAddress = 0;
    uint32_t freeSlot = NO_INDEX;
  };
  uint32_t make(const NewObject &object);
  uint32_t heapAt(uint64_t address) { return containing(heap_, address); }
  uint32_t partAt(uint64_t address) { return parts_.isEmpty() ? 0 : containing(parts_, address); }
  template <typename Visit> void eachOfThread(const ThreadObjects &thread, uint64_t begin, uint64_t last, Visit visit);

  const Input &input_;
  HugeVector<LiveObject> live_ = HugeVector<LiveObject>(1);
  AddressMap heap_;  // no two of them overlap
  AddressMap parts_; // no two of them overlap, and no other object begins or ends under one
  std::vector<ThreadObjects> threads_;

private:
  void begin(uint32_t live, uint64_t now);
  void endHeap(uint32_t live, uint32_t freeSlot, uint64_t now);
  void allocatePart(uint32_t thread, uint64_t address, uint64_t size, uint64_t pool, uint64_t now);
  void endPart(uint32_t live, uint32_t freeSlot, uint64_t now);
  void endParts(uint64_t address, uint64_t size, uint64_t now);
  void endPool(uint64_t pool, uint32_t freeSlot, uint64_t now);
  void markFreed(uint32_t live);
  void endStack(ThreadObjects &thread, uint32_t live, uint64_t now);
  void endOverlapped(uint64_t address, uint64_t size, uint64_t now);
  /// Whether the heap object at the address is the one that was made last: mostly its record follows at once.
  bool isNewest(uint64_t address) const {
    const LiveObject &object = live_[newest_];
    return object.start == address && object.lifeSequence && object.kind == HEAP && !object.part;
  }
  uint32_t containing(AddressMap &index, uint64_t address) const;
  ThreadObjects &thread(uint32_t number) {
    if (number >= threads_.size()) threads_.resize(number + 1);
    return threads_[number];
  }

  uint8_t core_ = 0;
  uint32_t newest_ = 0; // number of the heap object that was made last, dead or alive
  std::vector<uint32_t> unused_;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> pools_; // pool and address of a part -> the part
  std::unordered_map<uint32_t, uint64_t> poolOf_;           // of parts that go back with one
  struct StackKey {
    uint64_t address, size;
    uint32_t thread, variable, slot;
    bool operator==(const StackKey &) const = default;
  };
  struct StackHash {
    size_t operator()(const StackKey &key) const {
      return (key.address * 0x9e3779b97f4a7c15ull ^ (uint64_t{key.thread} << 32 | key.variable)) *
                 0xbf58476d1ce4e5b9ull ^
             key.size ^ uint64_t { key.slot } << 32;
    }
  };
  std::unordered_map<StackKey, uint32_t, StackHash> stack_;
  uint64_t lifeSequence_ = 0;
};

/// Stack objects of the thread that overlap [begin, last].
template <typename Visit>
void ObjectLives::eachOfThread(const ThreadObjects &thread, uint64_t begin, uint64_t last, Visit visit) {
  auto at = std::partition_point(thread.byAddress.begin(), thread.byAddress.end(),
                                 [&](uint32_t live) { return live_[live].start > last; });
  for (; at != thread.byAddress.end(); ++at) {
    const LiveObject &object = live_[*at];
    if (begin > object.start && begin - object.start >= thread.largest) break;
    if (lastOf(object.start, object.size) >= begin) visit(*at);
  }
}

} // namespace dprof
