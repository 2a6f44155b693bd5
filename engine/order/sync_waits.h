// Stage: replay. Keeps the order of recorded synchronisation: which thread waits for which, to what a thread's clock is
// raised, and which threads may go on once a stamped step is issued. The schedule (logical_order, random_order) decides
// which of the threads that need not wait goes next.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "order/parallelism.h"
#include "order/renames.h"
#include "order/scout.h"
#include "order/sync_table.h"
#include "order/turns.h"

namespace dprof {

/// A thread that has not begun holds a scout, and one that has ended holds a few numbers. A program may start very many
/// threads, so each event searches only lists and heaps of the threads that matter to it. Threads go by their index in
/// `threads`, which is in thread order.
class SyncWaits {
public:
  /// `renames`: of a schedule in which memory does not wait; else null.
  SyncWaits(const TraceFile &file, const Input &input, const Plans &plans,
            std::vector<std::unique_ptr<ThreadRun>> &threads, Renames *renames, Parallelism &parallelism);

  /// True: the thread's next step is an acquire that has to wait. The thread is woken (`issue`) once the step that it
  /// waits for is issued; it may have to wait again.
  bool hasToWait(uint32_t index);
  /// Raises the clock to that of the step's acquire. True: that raised it and the step is a record, which is issued
  /// later.
  bool raise(uint32_t index);
  /// The thread's next step, which is there, carries a stamp.
  bool isStamped(ThreadRun &thread) const {
    uint32_t record = thread.record();
    return record != EVENT_STEP ? plans_.records[record].stamped : hasStamp(thread.event().code);
  }
  /// Issues a stamped step. `issuer` issues it and gives the size of the live heap object that is freed, asked before.
  /// `least` gives a bound: no clock of a thread that need not wait is below it. `wake` is called with each thread that
  /// waited for this step.
  template <typename Issuer, typename Least, typename Wake>
  void issue(uint32_t index, Issuer &issuer, Least least, Wake wake) {
    issue(index, issuer, least, [] {}, wake);
  }
  /// `passed` is called as soon as the thread's clock has moved.
  template <typename Issuer, typename Least, typename Passed, typename Wake>
  void issue(uint32_t index, Issuer &issuer, Least least, Passed passed, Wake wake);
  /// True: the thread's next step is decoded, and synchronises on a numbered object; it neither has to wait nor raises
  /// its thread's clock.
  bool isFree(uint32_t index);

  // For a trace that is still being written.
  /// Adds a thread whose first chunk has come; its index is its number.
  void add(uint32_t index);
  bool hasCome(uint64_t index) const { return index < scouts_.size() && (scouts_[index] || of_[index].hasEnded); }
  /// True: all that any thread did before the stamp has come, and is visited.
  bool knows(uint64_t stamp) { return !live_ || visitBefore(stamp); }
  bool knowsFirst(uint32_t index) {
    return !live_ || !scouts_[index]->firstStep() || visitBefore(scouts_[index]->firstStep()->stamp);
  }
  /// True: the thread's next step has not come, but its outlook says that the thread has to wait, as in `hasToWait`.
  bool hasToWaitUnseen(uint32_t index);
  bool waitsUnseen(uint32_t index) const { return of_[index].promise.code != 0; }
  /// False: the thread's next step, a stamped one, is not the step for which the thread was held. Everything before
  /// that step is known.
  bool keepsPromise(uint32_t index);
  /// The thread's next step has come. True: the thread waited for a release by another thread, and its turn must be
  /// tried again.
  bool letGo(uint32_t index);

  void end(uint32_t index) {
    stop(*threads_[index]);
    scouts_[index].reset();
    of_[index].hasEnded = true;
  }
  bool hasEnded(uint32_t index) const { return !scouts_[index]; }
  /// Checks that all threads have ended, when none is able to go on.
  void checkAllEnded() const;

private:
  struct State {
    std::vector<Turn> waiting;                         // for this thread's stamps: a heap, the smallest on top
    std::vector<std::pair<uint64_t, uint64_t>> stamps; // issued: stamp, clock
    uint64_t acquired = 0;      // the clock to which the step at hand rises, once it need not wait: of numbered objects
    std::optional<Birth> since; // it waits for what was released since this birth, that of when its turn came
    bool listed = false;        // in `visited_`
    bool renames = false;       // the memory of its next step was not given back
    bool mayStay = false;       // it waits, and the wait may end without raising its clock
    bool hasEnded = false;
    bool hasIssuedEnd = false;
    // For a trace that is still being written: the step that was assumed while the next one had not come; code 0: none.
    struct {
      uint8_t code = 0, detail = 0;
      uint64_t object = 0;
      uint64_t after = 0;  // the step must come after the release with this key
      bool isHeld = false; // the step also waits for a release by `by` that was not issued yet
      uint32_t by = NO_INDEX;
    } promise;
    std::vector<uint32_t> heldUp; // threads that wait for a release by this one, which may not have come yet
  };

  bool hasToWait(uint32_t index, const Event &event);
  /// `inOrder`: all with smaller stamps is visited.
  void visit(uint32_t index, uint64_t stamp, bool inOrder);
  /// The entry of the thread's next step. Only an acquire, or a free, asks what happened before.
  uint32_t announced(uint32_t index, const Event &event) {
    const Scout &scout = *scouts_[index];
    if (scout.unissued.empty()) {
      const bool asks = !live_ && (isAcquire(event.code) || event.code == DPROF_EVENT_FREE);
      if (asks) visitBefore(event.stamp);
      visit(index, event.stamp, asks);
    }
    return scout.unissued.front().entry;
  }
  bool visitBefore(uint64_t stamp);
  void bear(const Event &event);
  void park(uint32_t index, const Blocker &blocker);
  std::optional<Blocker> endAhead(uint32_t index, const Event &event);
  std::optional<uint32_t> holderOf(uint32_t index, const Outlook &outlook) const;
  void trackHolder(uint32_t index, const Event &event);
  std::optional<Blocker> blockerOf(uint32_t index, const Event &event);
  std::optional<Blocker> blockerFrom(uint32_t index, const Event &event, Birth birth);
  std::optional<Blocker> blockerSince(uint32_t index, const Event &event, Birth birth);
  uint32_t objectOf(uint32_t index, const Event &event);
  Birth birthOf(const Event &event) const {
    if (!renames_ || renames_->isEmpty() || !(isAtAddress(event) || takesMemory(event))) return std::nullopt;
    return renames_->birthAt(event.address, event.stamp);
  }
  /// The thread does not go on at its clock.
  void stop(ThreadRun &thread) {
    if (std::exchange(thread.runs, false)) parallelism_.stop(thread.clock);
  }
  void takeMemory(uint32_t index, const Event &event);
  uint64_t clockOfOthers(uint32_t index, uint64_t stamp) const;
  bool wantsForget() {
    return ++issued_ % MOST_UNSAID == 0 || table_.wantsForget() || stampsKept_ >= stampsThreshold_ ||
           parallelism_.isLong();
  }
  void forget(uint64_t least);

  static constexpr size_t LEAST_STAMPS = 1 << 13, MOST_UNSAID = 256; // stamped steps before the least clock is said
  uint64_t firstBirth() const;
  const TraceFile &file_;
  const Input &input_;
  const Plans &plans_;
  std::vector<std::unique_ptr<ThreadRun>> &threads_;
  std::vector<std::unique_ptr<Scout>> scouts_; // none: the thread has ended
  std::vector<State> of_;
  std::vector<uint32_t> indexOf_;
  std::vector<uint32_t> visited_; // threads with visited events that are not issued, and some more
  std::vector<uint32_t> stamped_; // threads with entries in `stamps`
  std::vector<uint32_t> mayStay_; // threads with `mayStay`, and some more
  size_t issued_ = 0, stampsKept_ = 0, stampsThreshold_ = LEAST_STAMPS;
  Turns unvisited_; // threads by their next stamp that is not visited, or by one that was visited since
  SyncTable table_;
  Renames *const renames_;
  Parallelism &parallelism_;
  const bool live_;
  std::unordered_map<uint64_t, uint64_t> births_; // threads to come: each does nothing before this stamp
  std::unordered_map<uint64_t, std::pair<uint32_t, uint64_t>> holders_; // holders of mutexes: thread, number of holds
};

inline bool SyncWaits::isFree(uint32_t index) {
  ThreadRun &thread = *threads_[index];
  if (!thread.isReady() || !isStamped(thread)) return false;
  const Event &event = thread.event();
  if (!isSynchronisation(event.code) || event.detail == DPROF_SYNC_THREAD_JOIN) return false; // see endAhead
  const uint32_t entry = announced(index, event);
  if (event.code != DPROF_EVENT_RELEASE &&
      (!table_.objects.isFree(entry, thread.clock) || (renames_ && !renames_->isEmpty())))
    return false;
  thread.raised = 0;
  return true;
}

template <typename Issuer, typename Least, typename Passed, typename Wake>
void SyncWaits::issue(uint32_t index, Issuer &issuer, Least least, Passed passed, Wake wake) {
  ThreadRun &thread = *threads_[index];
  State &state = of_[index];
  const Event &event = thread.event(); // stays until the thread's next step is asked for
  const bool isOfMemory = !isSynchronisation(event.code);
  const uint64_t stamp = event.stamp, clock = thread.clock;
  uint64_t freed = 0;
  const uint32_t entry = announced(index, event);
  if (isOfMemory) {
    if (live_ && event.code == DPROF_EVENT_FREE) visitBefore(stamp);
    freed = freesRange(event) && event.size == 0 ? issuer.heapSize(event) : 0;
    if (renames_) takeMemory(index, event);
  }
  issuer.issue(thread);
  passed();
  if (entry) table_.objects.issue(entry, clock);
  scouts_[index]->unissued.pop_front();
  if (wantsForget())
    forget(std::min(clock, least())); // the waiters are raised to this step's clock, which is not in the table yet
  if (isOfMemory && isRelease(event.code)) table_.issue(thread.number, event, freed, clock);
  state.since.reset();
  state.hasIssuedEnd |= event.code == DPROF_EVENT_THREAD_END;
  if (live_) trackHolder(index, event);
  if (state.stamps.empty()) stamped_.push_back(index);
  state.stamps.push_back({stamp, clock});
  stampsKept_++;
  while (!state.waiting.empty() && state.waiting.front().when <= stamp) {
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
