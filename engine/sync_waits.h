// Stage: replay. Threads that keep recorded synchronisation: who waits for whom, what a thread's clock is raised to, and who may go on once a
// stamped step is issued. Which of the threads that need not wait goes next is the schedule's business (logical_order, random_order).
#pragma once

#include <algorithm>
#include <functional>

#include "scout.h"
#include "sync_table.h"
#include "turns.h"

namespace dprof {

/// Threads that have not begun hold a scout, those that have ended a few numbers: what is looked through for each event are lists and heaps
/// of threads that matter to it, for a program may start very many. Threads go by their index in `threads`, which is in thread order.
class SyncWaits {
public:
  SyncWaits(const TraceFile &file, const Input &input, const Plans &plans, std::vector<std::unique_ptr<ThreadRun>> &threads);

  /// True: its next step is an acquire that has to wait; the thread is woken (`issued`) once what it waits for is issued, and may have to wait again.
  bool hasToWait(uint32_t index);
  /// Brings the clock up to what the step's acquire says. True: that raised it, and the step is a record, which is issued after that.
  bool raise(uint32_t index);
  /// The thread's next step, which is there, carries a stamp.
  bool isStamped(ThreadRun &thread) const {
    uint32_t record = thread.record();
    return record != EVENT_STEP ? plans_.records[record].stamped : hasStamp(thread.event().code);
  }
  /// Issues a stamped step: `issue` does it, and gives the size of the live heap object that is freed, asked before. `least`: no
  /// clock of a thread that need not wait is below it. `wake` is called with each thread that waited for this step.
  template <typename Issuer, typename Least, typename Wake> void issue(uint32_t index, Issuer &issuer, Least least, Wake wake);

  void end(uint32_t index) { scouts_[index].reset(); }
  bool hasEnded(uint32_t index) const { return !scouts_[index]; }
  /// No thread is able to go on.
  void checkAllEnded() const;

private:
  struct State {
    std::vector<Turn> waiting; // on this thread, for its stamps: a heap, the smallest on top
    std::vector<std::pair<uint64_t, uint64_t>> stamps; // issued: stamp, clock
    bool listed = false;  // in `visited_`
    bool mayStay = false; // it waits, and its clock may not be raised then
  };

  bool hasToWait(uint32_t index, const Event &event);
  void visit(uint32_t index, uint64_t stamp);
  void visitBefore(uint64_t stamp);
  std::optional<Blocker> blockerOf(uint32_t index, const Event &event);
  uint64_t clockOfOthers(uint32_t index, uint64_t stamp) const;
  bool wantsForget() const { return table_.wantsForget() || stampsKept_ >= stampsThreshold_; }
  void forget(uint64_t least);

  static constexpr size_t LEAST_STAMPS = 1 << 13;
  const Plans &plans_;
  std::vector<std::unique_ptr<ThreadRun>> &threads_;
  std::vector<std::unique_ptr<Scout>> scouts_; // none: the thread has ended
  std::vector<State> of_;
  std::vector<uint32_t> indexOf_;
  std::vector<uint32_t> visited_; // those with visited events that are not issued, and some more
  std::vector<uint32_t> stamped_; // those with stamps
  std::vector<uint32_t> mayStay_; // those of which that is true, and some more
  size_t stampsKept_ = 0, stampsThreshold_ = LEAST_STAMPS;
  Turns unvisited_; // by the next stamp that is not visited, or one that since was
  SyncTable table_;
};

template <typename Issuer, typename Least, typename Wake> void SyncWaits::issue(uint32_t index, Issuer &issuer, Least least, Wake wake) {
  ThreadRun &thread = *threads_[index];
  State &state = of_[index];
  const Event event = thread.event();
  if (event.code == DPROF_EVENT_FREE) visitBefore(event.stamp);
  visit(index, event.stamp);
  uint64_t clock = thread.clock;
  uint64_t freed = freesRange(event) && event.size == 0 ? issuer.heapSize(event.address, event.detail) : 0;
  issuer.issue(thread);
  scouts_[index]->unissued.pop_front();
  if (wantsForget()) forget(std::min(clock, least())); // before this step, to whose clock its waiters are raised, is there
  if (isRelease(event.code)) table_.issue(thread.number, event, freed, clock);
  if (state.stamps.empty()) stamped_.push_back(index);
  state.stamps.push_back({event.stamp, clock});
  stampsKept_++;
  while (!state.waiting.empty() && state.waiting.front().when <= event.stamp) {
    std::pop_heap(state.waiting.begin(), state.waiting.end(), std::greater<Turn>());
    uint32_t waiter = state.waiting.back().index;
    state.waiting.pop_back();
    of_[waiter].mayStay = false;
    wake(waiter);
  }
}

} // namespace dprof
