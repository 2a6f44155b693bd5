// Stage: replay. Which object an address lies in, now: a flat map from 8-byte granules to live objects, and what lives and lived.
//
// A granule says 0 (no live object), one live object, or MANY (two or more share it, or lie over one another: looked up exactly).
// It is kept for touched pages only and filled when a page is first touched, so memory follows what the program referenced.
#pragma once

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "dprof/abi.h"
#include "freed_ranges.h"
#include "hierarchy.h"
#include "input.h"
#include "page_map.h"
#include "pending.h"
#include "zeroed_array.h"

namespace dprof {

enum ObjectKind : uint8_t { HEAP, GLOBAL, THREAD_LOCAL, STACK };

struct alignas(64) LiveObject {
  // What a reference reads and writes: one host cache line.
  uint64_t start, size;
  uint64_t references; // but those that `votes` or `pending` count
  uint32_t declared;
  uint8_t kind, flags, lastCore /* + 1 */, fromRecord /* made by an ALLOCATION record */;
  Votes votes;
  Pending *pending;

  uint64_t lifeSequence; // when its present life began; 0: not alive
  uint32_t slot;         // heap: the allocation's, NO_INDEX unknown
  uint32_t slotOffset;   // heap: of the declared type in the allocation
  uint32_t id, variable;
  uint32_t frameIndex;   // stack: its place in ThreadObjects::framed
  bool mapped;           // heap: by mmap
  bool part;             // heap: handed out of other memory by an allocator of the program's own
  uint64_t pool;         // parts: what it goes back with; 0: none
};

/// The columns of result.ts's ObjectTable that are settled while replaying.
struct ObjectColumns {
  std::vector<double> address, sizeBytes, bornAt, diedAt, lives, lifetime, references;
  std::vector<uint8_t> kind, flags;
  std::vector<uint32_t> allocationSlot, variable, freeSlot, type, thread, callPath;
  std::vector<double> lifeStart;
};

struct NewObject {
  uint64_t start, size;
  ObjectKind kind;
  uint32_t variable, type, slot; // a stack object without a variable: its slot and the slot's type
  uint32_t thread;
  uint64_t now;
  bool part = false;
};

inline uint64_t lastOf(uint64_t start, uint64_t size) { return size - 1 > ~start ? ~uint64_t{0} : start + (size - 1); }

class Objects {
public:
  static constexpr uint32_t MANY = 0xffffffff;
  static constexpr size_t GRANULES = size_t{1} << PageMap::granulesShift; // in a page
  Objects(const Input &input, PageMap &pages, Hierarchy &hierarchy, const Settler &settler);

  LiveObject &at(uint32_t live) { return live_[live]; }
  /// Lives begun so far.
  uint64_t lifeSequence() const { return lifeSequence_; }

  /// Live object at the address, null for none. The granule is the address's.
  [[gnu::always_inline]] LiveObject *lookUp(uint32_t granule, uint64_t address) {
    uint32_t live = granules_[granule];
    if (live == MANY) [[unlikely]] live = search(address);
    LiveObject *object = &live_[live]; // number 0 has no bytes
    return address - object->start < object->size ? object : nullptr;
  }
  /// The same as a number, 0 for none.
  uint32_t find(uint32_t granule, uint64_t address) {
    LiveObject *object = lookUp(granule, address);
    return object ? static_cast<uint32_t>(object - live_.data()) : 0;
  }
  bool wasFreed(uint32_t granule, uint64_t address) const { return freed_[granule] >> (address & 7) & 1; }
  uint32_t search(uint64_t address);

  void addFrame(uint32_t frame);
  void createGlobals();
  void allocate(uint32_t thread, uint64_t address, uint64_t size, uint8_t allocator, uint64_t pool, uint64_t now);
  void allocationRecord(uint32_t thread, uint64_t address, uint64_t size, uint32_t slot, uint32_t callPath, uint64_t now);
  void free(uint32_t thread, uint64_t address, uint64_t size, uint8_t allocator, uint64_t now);
  void freeRecord(uint32_t thread, uint64_t address, uint32_t slot, uint64_t now);
  /// Size of the live heap object (of the live part, if it is a part's allocator) that starts at the address, 0 if there is none.
  uint64_t heapSize(uint64_t address, uint8_t allocator) const;
  void threadLocal(uint32_t thread, uint32_t unit, uint32_t variable, uint64_t address, uint64_t now);
  void enterFrame(uint32_t thread, uint32_t function, const std::vector<NewObject> &objects);
  void leaveFrame(uint32_t thread, uint32_t function, uint64_t now);
  void endThread(uint32_t thread, uint64_t now);
  /// The end of the run: settles what still lives.
  void finish(uint64_t now);
  /// The columns as they would be if the run ended now; what is pending goes to that settler's rows.
  ObjectColumns columnsAt(uint64_t now, const Settler &settler) const;

  ObjectColumns columns;

private:
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
  void begin(uint32_t live, uint64_t now);
  void end(uint32_t live, uint32_t freeSlot, uint64_t now);
  void endHeap(uint32_t live, uint32_t freeSlot, uint64_t now);
  void allocatePart(uint32_t thread, uint64_t address, uint64_t size, uint64_t pool, uint64_t now);
  void endPart(uint32_t live, uint32_t freeSlot, uint64_t now);
  void endParts(uint64_t address, uint64_t size, uint64_t now);
  void endPool(uint64_t pool, uint32_t freeSlot, uint64_t now);
  void endStack(ThreadObjects &thread, uint32_t live, uint64_t now);
  void endOverlapped(uint64_t address, uint64_t size, uint64_t now);
  uint32_t heapAt(uint64_t address) const { return containing(heap_, address); }
  uint32_t partAt(uint64_t address) const { return parts_.empty() ? 0 : containing(parts_, address); }
  uint32_t containing(const std::map<uint64_t, uint32_t> &index, uint64_t address) const;
  template <typename Visit> void eachTouchedPage(uint64_t begin, uint64_t last, Visit visit);
  template <typename Visit> void eachOfThread(const ThreadObjects &thread, uint64_t begin, uint64_t last, Visit visit);
  void paint(uint32_t live);
  void restartLines(uint32_t live);
  void erase(uint32_t live);
  uint32_t exactGranule(uint64_t address);
  template <typename Visit> void eachOverlapping(uint64_t begin, uint64_t last, Visit visit);
  void settle(LiveObject &object);
  static void settleInto(ObjectColumns &columns, const LiveObject &object, const Settler &settler);
  void setSite(LiveObject &object, uint32_t slot);
  ThreadObjects &thread(uint32_t number) {
    if (number >= threads_.size()) threads_.resize(number + 1);
    return threads_[number];
  }

  const Input &input_;
  PageMap &pages_;
  Hierarchy &hierarchy_;
  const Settler &settler_;
  uint32_t frameCapacity_ = 0;
  ZeroedArray<uint32_t> granules_;
  ZeroedArray<uint8_t> freed_; // per granule, a bit per byte: last covered by a heap object that is gone
  FreedRanges freedUntouched_; // the same for pages never touched
  std::vector<LiveObject> live_{1};
  std::vector<uint32_t> unused_;
  std::map<uint64_t, uint32_t> heap_;
  std::map<uint64_t, uint32_t> parts_; // no two of them overlap, and no other object begins or ends under one
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> pools_; // pool and address of a part -> the part
  std::map<uint64_t, uint32_t> globals_; // flattened: start of a piece -> its object, 0 for a gap
  std::vector<ThreadObjects> threads_;
  struct StackKey {
    uint64_t address, size;
    uint32_t thread, variable, slot;
    bool operator==(const StackKey &) const = default;
  };
  struct StackHash {
    size_t operator()(const StackKey &key) const {
      return (key.address * 0x9e3779b97f4a7c15ull ^ (uint64_t{key.thread} << 32 | key.variable)) * 0xbf58476d1ce4e5b9ull ^ key.size ^ uint64_t{key.slot} << 32;
    }
  };
  std::unordered_map<StackKey, uint32_t, StackHash> stack_;
  uint64_t lifeSequence_ = 0;
};

/// Stack objects of the thread that overlap [begin, last].
template <typename Visit> void Objects::eachOfThread(const ThreadObjects &thread, uint64_t begin, uint64_t last, Visit visit) {
  auto at = std::partition_point(thread.byAddress.begin(), thread.byAddress.end(), [&](uint32_t live) { return live_[live].start > last; });
  for (; at != thread.byAddress.end(); ++at) {
    const LiveObject &object = live_[*at];
    if (begin > object.start && begin - object.start >= thread.largest) break;
    if (lastOf(object.start, object.size) >= begin) visit(*at);
  }
}

} // namespace dprof
