// Stage: replay. Threads that keep recorded synchronisation: who waits for whom, what a thread's clock is raised to,
// and who may go on once a stamped step is issued. Which of the threads that need not wait goes next is the schedule's
// business (logical_order, random_order).
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "order/scout.h"
#include "order/sync_table.h"
#include "order/turns.h"

namespace dprof {

/// Threads that have not begun hold a scout, those that have ended a few numbers: what is looked through for each event
/// are lists and heaps of threads that matter to it, for a program may start very many. Threads go by their index in
/// `threads`, which is in thread order.
class SyncWaits {
public:
  SyncWaits(const TraceFile &file, const Input &input, const Plans &plans,
            std::vector<std::unique_ptr<ThreadRun>> &threads);

  /// True: its next step is an acquire that has to wait; the thread is woken (`issued`) once what it waits for is
  /// issued, and may have to wait again.
  bool hasToWait(uint32_t index);
  /// Brings the clock up to what the step's acquire says. True: that raised it, and the step is a record, which is
  /// issued after that.
  bool raise(uint32_t index);
  /// The thread's next step, which is there, carries a stamp.
  bool isStamped(ThreadRun &thread) const {
    uint32_t record = thread.record();
    return record != EVENT_STEP ? plans_.records[record].stamped : hasStamp(thread.event().code);
  }
  /// Issues a stamped step: `issue` does it, and gives the size of the live heap object that is freed, asked before.
  /// `least`: no clock of a thread that need not wait is below it. `wake` is called with each thread that waited for
  /// this step.
  template <typename Issuer, typename Least, typename Wake>
  void issue(uint32_t index, Issuer &issuer, Least least, Wake wake);

  // Of a trace that is being written.
  /// A thread whose first chunk has come; its index is its number.
  void add(uint32_t index);
  bool hasCome(uint64_t index) const { return index < scouts_.size() && (scouts_[index] || of_[index].hasEnded); }
  /// Whatever any thread did before has come, and is visited.
  bool knows(uint64_t stamp) { return !live_ || visitBefore(stamp); }
  bool knowsFirst(uint32_t index) {
    return !live_ || !scouts_[index]->firstStep() || visitBefore(scouts_[index]->firstStep()->stamp);
  }
  /// The thread's next step has not come, but what is known of it says that it has to wait, as in `hasToWait`.
  bool hasToWaitUnseen(uint32_t index);
  bool waitsUnseen(uint32_t index) const { return of_[index].promise.code != 0; }
  /// False: the thread's next step, a stamped one, is not the one that it was held to wait for. Whatever was before it
  /// is known.
  bool keepsPromise(uint32_t index);
  /// The thread's next step has come. True: it waited for a release of a thread, and is to be looked at once more.
  bool letGo(uint32_t index);

  void end(uint32_t index) {
    scouts_[index].reset();
    of_[index].hasEnded = true;
  }
  bool hasEnded(uint32_t index) const { return !scouts_[index]; }
  /// No thread is able to go on.
  void checkAllEnded() const;

private:
  struct State {
    std::vector<Turn> waiting;                         // on this thread, for its stamps: a heap, the smallest on top
    std::vector<std::pair<uint64_t, uint64_t>> stamps; // issued: stamp, clock
    bool listed = false;                               // in `visited_`
    bool mayStay = false;                              // it waits, and its clock may not be raised then
    bool hasEnded = false;
    bool hasIssuedEnd = false;
    // Of a trace that is being written. What its next step was taken for while it had not come; code 0: nothing was.
    struct {
      uint8_t code = 0, detail = 0;
      uint64_t object = 0;
      uint64_t after = 0;  // a release that it was said to wait for has this key
      bool isHeld = false; // and one that was not issued yet: of `by`
      uint32_t by = NO_INDEX;
    } promise;
    std::vector<uint32_t> heldUp; // wait for this thread, for a release that need not have come
  };

  bool hasToWait(uint32_t index, const Event &event);
  void visit(uint32_t index, uint64_t stamp);
  bool visitBefore(uint64_t stamp);
  void announce(uint32_t number, const Event &event);
  void park(uint32_t index, const Blocker &blocker);
  std::optional<uint32_t> holderOf(uint32_t index, const Outlook &outlook) const;
  void trackHolder(uint32_t index, const Event &event);
  std::optional<Blocker> blockerOf(uint32_t index, const Event &event);
  uint64_t clockOfOthers(uint32_t index, uint64_t stamp) const;
  bool wantsForget() const { return table_.wantsForget() || stampsKept_ >= stampsThreshold_; }
  void forget(uint64_t least);

  static constexpr size_t LEAST_STAMPS = 1 << 13;
  uint64_t firstBirth() const;
  const TraceFile &file_;
  const Input &input_;
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
  const bool live_;
  std::unordered_map<uint64_t, uint64_t> births_; // threads to come: the stamp before which they do nothing
  std::unordered_map<uint64_t, std::pair<uint32_t, uint64_t>> holders_; // of mutexes: who, how often
};

template <typename Issuer, typename Least, typename Wake>
void SyncWaits::issue(uint32_t index, Issuer &issuer, Least least, Wake wake) {
  ThreadRun &thread = *threads_[index];
  State &state = of_[index];
  const Event event = thread.event();
  if (event.code == DPROF_EVENT_FREE) visitBefore(event.stamp);
  visit(index, event.stamp);
  uint64_t clock = thread.clock;
  uint64_t freed = freesRange(event) && event.size == 0 ? issuer.heapSize(event.address, event.detail) : 0;
  issuer.issue(thread);
  scouts_[index]->unissued.pop_front();
  if (wantsForget())
    forget(std::min(clock, least())); // before this step, to whose clock its waiters are raised, is there
  if (isRelease(event.code)) table_.issue(thread.number, event, freed, clock);
  if (live_) trackHolder(index, event);
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
  if (state.heldUp.empty() || (event.code != DPROF_EVENT_RELEASE && event.code != DPROF_EVENT_THREAD_END)) return;
  for (uint32_t waiter : std::exchange(state.heldUp, {})) {
    auto &promise = of_[waiter].promise;
    bool isMeant =
        event.code == DPROF_EVENT_THREAD_END || (promise.object == event.address && promise.detail == event.detail);
    if (isMeant) promise.after = std::max(promise.after, event.stamp);
    promise.isHeld = !isMeant;
    promise.by = NO_INDEX;
    wake(waiter);
  }
}

} // namespace dprof
