// Stage: replay. Ties it together: steps of threads in, references through caches, objects and tallies; the result is read from here.
#pragma once

#include "call_stack.h"
#include "objects.h"
#include "reference_batch.h"
#include "thread_run.h"

namespace dprof {

struct ReplayTotals {
  uint64_t continuations = 0, segments = 0, waited = 0, outsideLife = 0, unseenBytes = 0, lostSegments = 0;
  uint64_t slots = 0; // issued; for progress, about the references
  uint64_t time = 0;  // replay time, in instructions
  uint64_t windowsClosed = 0, windowsOpened = 0, droppedWords = 0, lastStamp = 0;
  uint64_t closedStamps = 0; // of openings minus those of closings, modulo 2^64
};

struct Phase {
  std::string name;
  uint64_t time;
};

class ReferenceStream;

/// What a report so far needs of a replay that goes on: what its end would have settled, in copies.
struct Snapshot {
  Tallies tallies;
  ObjectColumns objects;
};

class Replay {
public:
  explicit Replay(const Input &input);
  ~Replay();
  void run();
  /// Of `input.live`, one thread on one core: until its source stops. May be called again, as long as that was a pause.
  void runLive();
  void finish();
  Snapshot snapshot();

  const Input &input;
  Plans plans;
  TraceFile file;
  PageMap pages;
  Hierarchy hierarchy;
  Tallies tallies;
  Settler settler;
  Objects objects;
  ReplayTotals totals;
  std::vector<Phase> phases;
  CallPaths callPaths;

  /// Issues the thread's next step, which is there; clocks and replay time move, order is the caller's business.
  template <bool Single> void issue(ThreadRun &thread);
  void reportProgress(uint64_t bytesRead);
  /// Now and then: the types with most L1 misses so far, behind the progress.
  void reportTopTypes();

private:
  /// A slot and its plain hits that are not in their rows yet: of references that only the slot says something about, and in objects
  /// that say their type, of the row that came last.
  struct alignas(16) SlotState {
    uint64_t hits;
    uint32_t structType; // 0: its type is no struct, union or class
    uint32_t row;        // NO_INDEX: none yet
    uint64_t objectHits;
    uint32_t fieldOf;    // it names its own field in objects of this declared type
    uint32_t objectRow;
    uint32_t objectType, objectLeaf; // whose row that is
    bool isStore;
  };
  struct Target {
    uint32_t row; // NO_INDEX: the slot's own
    Pending *pending;
  };
  // One thread that has the machine for itself: lone_thread.cpp.
  void runAlone(uint32_t number);
  std::unique_ptr<ReferenceStream> alone_;
  uint64_t nextTop_ = 0; // in slots: when the top types are told again
  void lookUpCaches(ReferenceBatch &batch);
  void countBatch(uint32_t thread, const ReferenceBatch &batch);
  void countHits(const Reference *begin, const Reference *end);
  const Outcome *countOdd(const ReferenceBatch &batch, const OddAccess &access, const Outcome *outcome);
  Target typeOf(SlotState &state, uint32_t slot, uint32_t granule, uint64_t address);
  void change(uint32_t thread, const ReferenceBatch &batch, const Change &change);

  template <bool Single> void segment(ThreadState &thread, const RecordPlan &plan, const uint64_t *words);
  void event(uint32_t thread, const Event &event);
  void mark(const Event &event);
  void enter(uint32_t thread, const RecordPlan &plan, const uint64_t *words);
  void objectRecord(uint32_t thread, const RecordPlan &plan, const uint64_t *words, uint32_t callPath);
  template <bool Single> void access(ThreadState &thread, uint32_t slot, uint64_t address, uint64_t size, bool store);
  template <bool Single> void splitAccess(ThreadState &thread, uint32_t slot, uint64_t address, uint64_t size, bool store);
  template <bool Single> void copy(ThreadState &thread, uint32_t slot, uint64_t source, uint64_t destination, uint64_t size);
  template <bool Single> void block(ThreadState &thread, uint32_t slot, uint64_t address, uint64_t size, bool store);
  template <bool Single> const uint64_t *blockOrLanes(ThreadState &thread, uint32_t &slot, const uint64_t *words);
  template <bool Single> uint32_t reference(ThreadState &thread, uint32_t slot, uint64_t address, uint32_t size, bool store, Target &target);
  void afterReference(ThreadState &thread, uint32_t slot, uint64_t address, uint32_t size, bool store, uint32_t id, uint32_t live, uint32_t leaf, uint32_t &bits);
  void attribute(uint32_t line, const ThreadState &thread, uint32_t slot, uint64_t address, uint32_t size, uint32_t live, uint32_t leaf, uint32_t kind);
  uint32_t declaredLeaf(const LiveObject &object, uint64_t address) const;
  uint32_t rowOfSlot(uint32_t slot);
  [[gnu::noinline]] void changeObjectRow(SlotState &state, uint32_t slot, uint32_t declared, uint32_t leaf);
  void flushHits(uint32_t slot);
  uint32_t leafAt(uint32_t type, int64_t offset) const;
  /// Objects and caches keep their pages apart, for they may be on different threads.
  uint32_t addPageOfObjects(uint64_t page);
  uint32_t addPage(uint64_t page) {
    hierarchy.addPage(page);
    return addPageOfObjects(page);
  }
  [[gnu::always_inline]] uint32_t granuleOf(uint64_t address) {
    return PageMap::granule(pages.frameOf(PageMap::pageOf(address), [this](uint64_t page) { return addPage(page); }), address);
  }
  void count(const Target &target, uint32_t slot, uint32_t bits) {
    if (target.pending) target.pending->add(slot, bits);
    else tallies.add(target.row != NO_INDEX ? target.row : rowOfSlot(slot), bits, 1);
  }
  [[gnu::always_inline]] void countPlain(const Target &target, uint32_t slot, SlotState &state) {
    if (target.pending) target.pending->add(slot, outcome::PLAIN | uint32_t{state.isStore});
    else if (target.row == NO_INDEX) state.hits++;
    else state.objectHits++;
  }
  /// Where a reference counts: a row, or with its object until that ends.
  [[gnu::always_inline]] Target typeIn(LiveObject &object, SlotState &state, uint32_t slot, uint64_t address, uint32_t &leaf) {
    if (uint32_t declared = object.declared) {
      object.references++;
      if (state.fieldOf != declared) leaf = declaredLeaf(object, address);
      if (state.objectType != declared || state.objectLeaf != leaf) [[unlikely]] changeObjectRow(state, slot, declared, leaf);
      return {state.objectRow, nullptr};
    }
    if (state.structType) {
      object.votes.add(state.structType);
    } else if (object.kind != GLOBAL) {
      if (!object.pending) [[unlikely]] object.pending = new Pending();
      return {NO_INDEX, object.pending};
    } else {
      object.references++;
    }
    return {NO_INDEX, nullptr};
  }

  const uint32_t lineMask_;
  std::vector<SlotState> slots_;
  std::vector<NewObject> entering_;
  uint64_t totalBytes_ = 0;
  const Latencies latencies_;
};

} // namespace dprof
