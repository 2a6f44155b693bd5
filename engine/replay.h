// Stage: replay. Ties it together: steps of threads in, references through caches, objects and tallies; the result is read from here.
#pragma once

#include "call_stack.h"
#include "labels.h"
#include "leaves.h"
#include "line_use.h"
#include "reference_batch.h"
#include "takers.h"
#include "thread_run.h"
#include "unused_bytes.h"
#include "whole_hierarchy.h"

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

/// What a whole machine's caches tell, as the plain ones' events.
class WholeEvents final : public CacheSink {
public:
  explicit WholeEvents(std::vector<LineEvent> &events) : events_(events) {}
  void filled(unsigned level, uint32_t unit, uint32_t line, size_t frame, uint32_t victim) override { tell(LineEvent::FILLED, level, unit, frame, victim, line); }
  void removed(unsigned level, uint32_t unit, uint32_t line, size_t frame, Why why, uint32_t times) override {
    constexpr LineEvent::Kind kinds[] = {LineEvent::INVALIDATED, LineEvent::EVICTED, LineEvent::MOVED};
    for (; times; times--) tell(kinds[why], level, unit, frame, line, 0);
  }

private:
  void tell(LineEvent::Kind kind, unsigned level, uint32_t unit, size_t frame, uint32_t line, uint32_t filled) {
    events_.push_back({kind, static_cast<uint8_t>(level), unit, static_cast<uint32_t>(frame), line, filled});
  }
  std::vector<LineEvent> &events_;
};

class Replay {
public:
  explicit Replay(const Input &input);
  void run();

  const Input &input;
  Plans plans;
  TraceFile file;
  PageMap pages;
  Hierarchy hierarchy;
  WholeEvents wholeEvents{hierarchy.events};
  std::unique_ptr<WholeHierarchy> whole; // the caches of a machine that is not plain
  Tallies tallies;
  Labels labels;
  ObjectCounters objectCounters;
  Takers takers;
  Settler settler;
  Objects objects;
  UnusedBytes unusedBytes;
  ReplayTotals totals;
  std::vector<Phase> phases;
  CallPaths callPaths;

  /// Issues the thread's next step, which is there; clocks and replay time move, order is the caller's business.
  template <bool Single> void issue(ThreadRun &thread);
  void reportProgress(uint64_t bytesRead);

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
    uint32_t live = 0;
  };
  // One thread that has the machine for itself: lone_thread.cpp.
  void runAlone(uint32_t number);
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
  /// Whose stores are others': those of another L1.
  uint32_t sharerOf(const ThreadState &thread) const { return whole ? whole->l1Unit(thread.core.number) : thread.core.number; }
  void afterReference(ThreadState &thread, uint32_t slot, uint64_t address, uint32_t size, bool store, uint32_t id, uint32_t live, uint32_t leaf, uint32_t &bits);
  void attribute(uint32_t line, const ThreadState &thread, uint32_t slot, uint64_t address, uint32_t size, uint32_t live, uint32_t leaf, uint32_t kind);
  /// Bytes of a line in an L1.
  struct Use {
    uint32_t unit, line, first, length;
  };
  void followLines(uint32_t slot, uint32_t live, const Use &use);
  void leaveAll();
  void leaveL1(uint32_t unit, uint32_t line);
  std::vector<SlotState> &slotsOf(uint32_t core);
  uint32_t rowOfSlot(uint32_t core, uint32_t slot);
  [[gnu::noinline]] void changeObjectRow(SlotState &state, uint32_t core, uint32_t slot, uint32_t declared, uint32_t leaf);
  void flushHits(uint32_t core, uint32_t slot);
  /// Objects and caches keep their pages apart, for they may be on different threads.
  uint32_t addPageOfObjects(uint64_t page);
  uint32_t addPage(uint64_t page) {
    hierarchy.addPage(page);
    return addPageOfObjects(page);
  }
  [[gnu::always_inline]] uint32_t granuleOf(uint64_t address) {
    return PageMap::granule(pages.frameOf(PageMap::pageOf(address), [this](uint64_t page) { return addPage(page); }), address);
  }
  void count(const Target &target, uint32_t core, uint32_t slot, uint32_t bits) {
    if (target.live && bits & outcome::MISSED && outcome::latencyServer(bits) != NO_SERVER)
      objectCounters.latency(objects.at(target.live).counts, latencies_[outcome::latencyServer(bits)] + latencies_[SERVERS + outcome::latencyTlb(bits)]);
    if (target.pending) target.pending->add(core, slot, bits);
    else tallies.add(target.row != NO_INDEX ? target.row : rowOfSlot(core, slot), bits, 1);
  }
  [[gnu::always_inline]] void countPlain(const Target &target, uint32_t core, uint32_t slot, SlotState &state) {
    if (target.pending) target.pending->add(core, slot, outcome::PLAIN | uint32_t{state.isStore});
    else if (target.row == NO_INDEX) state.hits++;
    else state.objectHits++;
  }
  /// Where a reference counts: a row, or with its object until that ends.
  [[gnu::always_inline]] Target typeIn(LiveObject &object, SlotState &state, uint32_t core, uint32_t slot, uint64_t address, uint32_t &leaf) {
    if (uint32_t declared = object.declared) {
      object.references++;
      if (state.fieldOf != declared) leaf = declaredLeaf(input, object, address);
      if (state.objectType != declared || state.objectLeaf != leaf) [[unlikely]] changeObjectRow(state, core, slot, declared, leaf);
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
  std::vector<SlotState> freshSlots_;
  std::vector<std::vector<SlotState>> slots_; // by core, from its first reference on
  LineUse lineUse_;
  std::vector<NewObject> entering_;
  uint64_t totalBytes_ = 0;
  const Latencies latencies_;
};

} // namespace dprof
