// Stage: trace -> replay. The parts that lay out any step: accesses -> references, each with its granule, and changes
// of objects, appended to a batch. Nothing here depends on an object or a cache. Pages are numbered in the order of
// their first touch.
#pragma once

#include "base/page_map.h"
#include "batch/reference_batch.h"
#include "layout/window_borders.h"
#include "trace/path_table.h"

namespace dprof {

class StepLayout {
protected:
  static constexpr uint32_t FULL = 2048; // references; a batch that has as many is handed on
  static constexpr uint32_t FULL_CHANGES = 1024;

  /// `numbersPages`: else the batch's granules and new pages are left to the caches.
  StepLayout(const Plans &plans, const Input &input, bool numbersPages);
  /// A batch begins. False if the window is over: there is nothing more to lay out.
  bool begin(ReferenceBatch &batch);
  /// The batch ends. `isBetween`: no step is under way, so a border may lie here.
  void end(ReferenceBatch &batch, bool isBetween);
  bool isFull(const ReferenceBatch &batch) const {
    return batch.count >= limit_ || batch.changes.size() >= FULL_CHANGES;
  }
  /// Sets the core and the lock state from the next reference on.
  [[gnu::always_inline]] void turn(ReferenceBatch &batch, uint16_t core, bool holdsLock) {
    if (core != turn_.core || holdsLock != turn_.holdsLock) beginTurn(batch, core, holdsLock);
  }

  /// Sets the thread from the next step on.
  void ofThread(ReferenceBatch &batch, uint32_t thread) {
    if (thread != thread_) [[unlikely]]
      beginThread(batch, thread);
  }

  /// Lays out the accesses of one slot of a segment that is not plain. A copy or fill is only begun. Returns the words
  /// behind the slot's.
  const uint64_t *takeSlot(ReferenceBatch &batch, uint32_t slot, const uint64_t *words);
  /// The reference that is laid out next has this value, if its record says it. `words`: from its slot on.
  void tellValue(ReferenceBatch &batch, uint32_t slot, const uint64_t *words) {
    if (!plans_.values || skips()) return;
    const ValueAt at = plans_.slots[slot].value;
    if (at == ValueAt::NOWHERE) return;
    batch.values.push_back({batch.count, at == ValueAt::BEHIND ? words[1] : nextValue_});
  }
  /// Lays out the rest of the copy or fill, or as much of it as there is room for.
  void takeBlock(ReferenceBatch &batch);
  /// Begins the range that the kernel stored to.
  void beginKernelRange(const Event &event) {
    if (isKernelRange(event) && plans_.kernelSlot != NO_INDEX)
      block_ = {event.address, event.address, event.size, plans_.kernelSlot, false};
  }
  /// Any access, or a piece of a copy or fill.
  void append(ReferenceBatch &batch, uint32_t at, uint32_t slot, uint64_t address, uint64_t size);
  void append(ReferenceBatch &batch, uint32_t slot, uint64_t address, uint64_t size) {
    if (skips()) [[unlikely]]
      return skip(address, size);
    append(batch, batch.count, slot, address, size);
    batch.count++; // only now: without its page there is no reference
  }
  // For a replay of a window.
  bool skips() const { return borders_.skips(); }
  bool countsReferences() const { return borders_.asked(); }
  /// Sees the event of the step under way, or its stamp.
  void see(const Event &event, bool isStep) {
    if (borders_.see(event, isStep)) limit_ = 0;
  }
  /// Counts references without entries of their own: those of runs, and of steps that are skipped.
  void addReferences(uint64_t count) {
    further_ += static_cast<int64_t>(count);
    setLimit();
  }
  /// How many more references fit before the next border that is a number of references.
  uint64_t referencesToBorder(const ReferenceBatch &batch) const;
  uint64_t referencesOf(uint64_t address, uint64_t size) const {
    return size ? (((address & lineMask_) + size - 1) >> pages_.lineShift) + 1 : 0;
  }
  void addSkipped(uint64_t references) {
    further_ += static_cast<int64_t>(references);
    if (static_cast<uint64_t>(passed_ + further_) >= borders_.nextReferences()) limit_ = 0;
  }
  /// A step is passed over; many of them fill a batch too.
  void passSkipped(uint64_t references) {
    if (++skippedSteps_ >= FULL_SKIPPED) limit_ = 0;
    addSkipped(references);
  }
  bool isAhead(unsigned border) const { return borders_.isAhead(border); }
  const WindowPosition *positions() const { return borders_.positions(); }

  void change(ReferenceBatch &batch, Change::What what, uint32_t thread, uint32_t record, const uint64_t *words,
              uint32_t count);
  void changeByEvent(ReferenceBatch &batch, uint32_t thread, const Event &event);
  uint32_t granuleOf(ReferenceBatch &batch, uint64_t address);

  /// A plain record that has no stamp: a segment, or a marker, which is none and has no slots. `slots` is NO_INDEX for
  /// all other records.
  struct alignas(32) PlainSegment {
    uint32_t firstSlot, slots, instructions, segments;
    uint32_t function, call; // for CallStack
    uint8_t moves;
  };
  /// The rest of a copy or fill whose pieces did not fit into the batch.
  struct Block {
    uint64_t source, destination, size = 0;
    uint32_t slot;
    bool copies;
  };

  const Plans &plans_;
  PageMap pages_;
  const uint32_t lineMask_;
  std::vector<PlainSegment> segments_; // by record
  const std::vector<SlotShape> &shapes_;
  Block block_;
  uint64_t segmentCount_ = 0, slotCount_ = 0, time_ = 0;
  const bool numbersPages_;
  uint64_t nextValue_ = 0; // of the VALUE slot passed last
  const bool timed_;       // every reference needs its time:
  uint64_t stepTime_ = 0;  // the time before the step under way
  uint32_t limit_ = FULL;  // a batch with as many references is full: fewer before a border

private:
  static constexpr uint32_t FULL_SKIPPED = 1 << 16; // steps
  void clear(ReferenceBatch &batch);
  void sayTotals(ReferenceBatch &batch) const;
  void setLimit();
  void skip(uint64_t address, uint64_t size);
  [[gnu::always_inline]] void beginTurn(ReferenceBatch &batch, uint16_t core, bool holdsLock) {
    if (oneCore_) return;
    turn_ = {0, core, holdsLock};
    const TurnStart start{batch.count, core, holdsLock};
    if (batch.turns.back().reference == batch.count)
      batch.turns.back() = start;
    else
      batch.turns.push_back(start);
  }
  [[gnu::always_inline]] void beginThread(ReferenceBatch &batch, uint32_t thread) {
    isOfSeveralThreads_ |= thread_ != NO_INDEX;
    thread_ = thread;
    batch.threads.push_back({batch.count, thread});
  }
  void appendBlock(ReferenceBatch &batch, uint32_t slot, uint64_t address, uint64_t size);
  const bool oneCore_;
  uint32_t room_ = PathTable::MOST_PLAIN_WORDS; // for the references of the largest step that is not done in parts
  TurnStart turn_ = {};
  uint32_t thread_ = NO_INDEX; // the thread whose steps come
  bool isOfSeveralThreads_ = false;
  WindowBorders borders_;
  int64_t passed_ = 0;  // references before the batch
  int64_t further_ = 0; // in the batch, beside one for each of its entries
  uint32_t skippedSteps_ = 0;
};

} // namespace dprof
