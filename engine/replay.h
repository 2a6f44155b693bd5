// Stage: replay. Ties it together: steps of threads in, references through caches, objects and tallies; the result is read from here.
#pragma once

#include "objects.h"
#include "thread_run.h"

namespace dprof {

struct ReplayTotals {
  uint64_t continuations = 0, segments = 0, waited = 0, outsideLife = 0, unseenBytes = 0, lostSegments = 0;
  uint64_t slots = 0; // issued; for progress, about the references
  uint64_t time = 0;  // replay time, in instructions
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
  Tallies tallies;
  Settler settler;
  Objects objects;
  ReplayTotals totals;

  /// Issues the thread's next step, which is there; clocks and replay time move, order is the caller's business.
  template <bool Single> void issue(ThreadRun &thread);
  void reportProgress(const std::vector<std::unique_ptr<ThreadRun>> &threads);

private:
  /// A slot, the row it led to last, and its plain hits that are not in that row yet.
  struct alignas(64) SlotState {
    SlotPlan plan;
    uint32_t declared;   // of its type
    bool namesField;     // by its own path, in objects of that declared type
    bool isStore;
    uint32_t row;        // + 1; 0: none yet
    uint32_t rowDeclared, rowLeaf; // what it is the row of; rowDeclared 0: of references that only the slot says something about
    uint64_t hits;
  };
  struct Target {
    uint32_t row;
    Pending *pending;
  };
  template <bool Single> void runAlone(ThreadRun &thread);
  template <bool Single> void plainSegment(ThreadRun &thread, const RecordPlan &plan, const uint64_t *words);
  template <bool Single> void segment(ThreadRun &thread, const RecordPlan &plan, const uint64_t *words);
  void event(ThreadRun &thread, const Event &event);
  void enter(ThreadRun &thread, const RecordPlan &plan, const uint64_t *words);
  template <bool Single> void access(ThreadRun &thread, uint32_t slot, uint64_t address, uint64_t size, bool store);
  template <bool Single> void splitAccess(ThreadRun &thread, uint32_t slot, uint64_t address, uint64_t size, bool store);
  template <bool Single> void copy(ThreadRun &thread, uint32_t slot, uint64_t source, uint64_t destination, uint64_t size);
  template <bool Single> const uint64_t *blockOrLanes(ThreadRun &thread, uint32_t &slot, const uint64_t *words);
  template <bool Single> uint32_t reference(ThreadRun &thread, uint32_t slot, uint64_t address, uint32_t size, bool store, Target &target);
  void afterReference(ThreadRun &thread, uint32_t slot, uint64_t address, uint32_t size, bool store, uint32_t id, uint32_t live, uint32_t leaf, uint32_t &bits);
  void attribute(uint32_t line, const ThreadRun &thread, uint32_t slot, uint64_t address, uint32_t size, uint32_t live, uint32_t leaf, uint32_t kind);
  uint32_t declaredLeaf(const LiveObject &object, uint64_t address) const;
  void changeRow(SlotState &state, uint32_t slot, uint32_t declared, uint32_t leaf);
  void flushHits(SlotState &state);
  uint32_t leafAt(uint32_t type, int64_t offset) const;
  uint32_t addPage(uint64_t page);
  void count(const Target &target, uint32_t slot, uint32_t bits) {
    if (target.pending) target.pending->add(slot, bits);
    else tallies.add(target.row, bits, 1);
  }

  const uint32_t lineMask_;
  std::vector<SlotState> slots_;
  std::vector<NewObject> entering_;
  uint32_t frameCapacity_ = 0;
  uint64_t totalBytes_ = 0;
  uint32_t latencies_[5];
};

} // namespace dprof
