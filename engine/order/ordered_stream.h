// Stage: trace -> replay, the first of three. The steps of several threads, in the order of the schedule -> batches of
// references. The order tracks no objects except live heap objects, because a free that does not give its size releases
// what it frees.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "layout/step_layout.h"
#include "objects/object_changes.h"
#include "order/order.h"
#include "order/parallelism.h"
#include "order/renames.h"
#include "order/thread_run.h"

namespace dprof {

class OrderedStream : StepLayout {
public:
  /// `numbers`: threads with steps, in order.
  OrderedStream(const TraceFile &file, const Plans &plans, const Input &input, const std::vector<uint32_t> &numbers);
  /// Is told of each record when its thread makes it.
  using Watch = std::function<void(uint32_t thread, uint32_t record, const RecordPlan &plan)>;
  void watch(Watch watch) { watch_ = std::move(watch); }
  /// False at the end of all threads.
  bool next(ReferenceBatch &batch);
  using StepLayout::positions;
  /// At the end of what was to be replayed.
  const ParallelismTable &parallelism();

  // The interface for an order.
  /// Issues the thread's next step, which must be there; its clock moves.
  void issue(ThreadRun &thread);
  /// Issues plain steps in a row, without stamps: the thread's next one, and others up to that clock, as long as they
  /// are decoded and fit. False: the next one is none.
  bool issuePlain(ThreadRun &thread, uint64_t until);
  /// Nothing more is to be issued until it runs again.
  bool isFull() const { return rest_.plan || block_.size || StepLayout::isFull(*batch_); }
  /// Size of the live heap object that this FREE frees, 0 if it frees none.
  uint64_t heapSize(const Event &free) {
    return lives_.heapSize(renames_.place(free.address, free.stamp), free.detail);
  }
  void reportProgress(uint64_t passed) { passed_ = passed; }
  // For a trace that is still being written.
  bool isLive() const { return source_.input.live; }
  /// More chunks may come.
  bool isOpen() const;
  /// Learns more: first chunks of threads, further chunks, or facts about threads. False: nothing more can be issued
  /// now.
  bool learn();
  std::vector<uint32_t> takeArrived();
  std::vector<uint32_t> takeGrown();
  /// Both stop the replay and return false.
  bool giveUpOrphan();
  bool giveUpOrder();

private:
  /// The rest of a step for which the batch had no room.
  struct Rest {
    const RecordPlan *plan = nullptr;
    uint32_t thread = 0, slot = 0;
    std::vector<uint64_t> words;
  };
  void run(ThreadRun &thread);
  void tellCallers(const ThreadRun &thread, bool hasOwnFrame);
  const uint64_t *placed(const ThreadRun &thread, const RecordPlan &plan);
  void issueEvent(ThreadRun &thread);
  void issueRecord(ThreadRun &thread, uint32_t record, const RecordPlan &plan, const uint64_t *words);
  void skipPlain(const PlainSegment &segment, const uint64_t *words);
  template <bool Timed>
  [[gnu::always_inline]] void issuePlain(uint32_t firstSlot, uint32_t slots, const uint64_t *words);
  /// A record that `issuePlain` takes.
  bool isPlain(uint32_t record) const { return record != EVENT_STEP && segments_[record].slots != NO_INDEX; }
  template <bool Timed> [[gnu::always_inline]] void issuePlainSteps(ThreadRun &thread, uint64_t until);
  void passTime(ThreadRun &thread, uint32_t slots, uint32_t instructions);
  void takeSlots(uint32_t thread, const RecordPlan &plan, uint32_t slot, const uint64_t *words);
  void takeRest();

  ObjectLives lives_;
  ObjectChanges changes_;
  const bool keepsLives_; // the order asks for them
  StepSource source_;
  std::vector<std::unique_ptr<ThreadRun>> threads_;
  Renames renames_;
  Parallelism parallelism_;
  std::vector<uint64_t> placed_; // words of the step at hand, if some memory is renamed
  std::unique_ptr<Order> order_;
  ReferenceBatch *batch_ = nullptr;
  Rest rest_;
  std::set<std::string> marks_; // texts of marks: batches name them, and their threads may have ended
  uint64_t waitedCount_ = 0, passed_ = 0;
  Watch watch_;
  CallersStart callers_; // as they were told last
  bool ended_ = false;   // all threads
  bool stopped_ = false; // for now
};

} // namespace dprof
