// Stage: replay. Logical order (clocks, recorded synchronisation) and recorded order (time stamps).
#include "scheduler.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "scout.h"
#include "sync_table.h"

namespace dprof {

namespace {

struct Turn {
  uint64_t when;
  uint32_t index; // of `threads`, which is in thread order
  bool operator>(const Turn &other) const { return when != other.when ? when > other.when : index > other.index; }
};
using Turns = std::priority_queue<Turn, std::vector<Turn>, std::greater<Turn>>;

uint64_t bytesRead(const std::vector<std::unique_ptr<ThreadRun>> &threads) {
  uint64_t bytes = 0;
  for (const auto &thread : threads) bytes += thread->bytesRead();
  return bytes;
}

/// Threads that have not begun hold a scout, those that have ended a few numbers: what is looked through for each event are lists and heaps
/// of threads that matter to it, for a program may start very many.
template <bool Single> class LogicalOrder {
public:
  LogicalOrder(Replay &replay, std::vector<std::unique_ptr<ThreadRun>> &threads) : replay_(replay), threads_(threads), of_(threads.size()) {
    for (uint32_t i = 0; i < threads.size(); i++) {
      scouts_.push_back(std::make_unique<Scout>(replay.file, replay.input.threads[threads[i]->number]));
      if (scouts_[i]->nextStamp() != Scout::NO_STAMP) unvisited_.push({scouts_[i]->nextStamp(), i});
      turns_.push({0, i});
      if (indexOf_.size() <= threads[i]->number) indexOf_.resize(threads[i]->number + 1);
      indexOf_[threads[i]->number] = i;
    }
  }

  void run() {
    for (uint64_t n = 0; !turns_.empty(); n++) {
      uint32_t index = turns_.top().index;
      turns_.pop();
      takeTurn(index);
      if (n % 4096 == 0) replay_.reportProgress(bytesRead(threads_));
    }
    for (uint32_t i = 0; i < threads_.size(); i++)
      if (scouts_[i]) throw TraceError("stamps of thread " + std::to_string(threads_[i]->number), 0, "threads that can go on", "all of them waiting for one another");
  }

private:
  struct State {
    std::vector<Turn> waiting; // on this thread, for its stamps: a heap, the smallest on top
    std::vector<std::pair<uint64_t, uint64_t>> stamps; // issued: stamp, clock
    bool listed = false;  // in `visited_`
    bool mayStay = false; // it waits, and its clock may not be raised then
  };

  /// Steps of one thread for as long as it would be chosen again.
  void takeTurn(uint32_t index) {
    ThreadRun &thread = *threads_[index];
    if (!thread.hasBegun()) {
      const Event *first = scouts_[index]->firstStep();
      if (first && hasToWait(index, Event(*first))) return;
    }
    for (;;) {
      if (!thread.ready()) {
        scouts_[index].reset();
        return;
      }
      uint32_t record = thread.record();
      if (record != EVENT_STEP && !replay_.plans.records[record].stamped) {
        replay_.issue<Single>(thread);
      } else if (const Event event = thread.event(); !hasStamp(event.code)) {
        replay_.issue<Single>(thread);
      } else {
        if (hasToWait(index, event)) return;
        if (isAcquire(event.code) || event.code == DPROF_EVENT_BLOCKED) {
          uint64_t clock = event.code == DPROF_EVENT_BLOCKED ? clockOfOthers(index, event.stamp) : table_.clock(thread.number, event);
          if (clock > thread.clock) {
            thread.clock = clock;
            thread.waited = true;
            if (record != EVENT_STEP) break; // competes again, then the segment is issued
          }
        }
        issueStamped(index, event);
        break;
      }
      if (!turns_.empty() && Turn{thread.clock, index} > turns_.top()) break;
    }
    turns_.push({thread.clock, index});
  }

  /// True: it waits now.
  bool hasToWait(uint32_t index, const Event &event) {
    if (!isAcquire(event.code) && event.code != DPROF_EVENT_BLOCKED) return false;
    auto blocker = blockerOf(index, event);
    if (!blocker) return false;
    threads_[index]->waited = true;
    of_[index].mayStay = blocker->mayBindNobody;
    if (blocker->mayBindNobody) mayStay_.push_back(index);
    auto &waiting = of_[indexOf_[blocker->thread]].waiting;
    waiting.push_back({blocker->key, index});
    std::push_heap(waiting.begin(), waiting.end(), std::greater<Turn>());
    return true;
  }

  void issueStamped(uint32_t index, const Event &event) {
    ThreadRun &thread = *threads_[index];
    State &state = of_[index];
    visit(index, event.stamp);
    uint64_t clock = thread.clock;
    uint64_t freed = freesRange(event) && event.size == 0 ? replay_.objects.heapSize(event.address, event.detail) : 0;
    replay_.issue<Single>(thread);
    scouts_[index]->unissued.pop_front();
    forget(clock); // before this step, to whose clock its waiters are raised, is there
    if (isRelease(event.code)) table_.issue(thread.number, event, freed, clock);
    if (state.stamps.empty()) stamped_.push_back(index);
    state.stamps.push_back({event.stamp, clock});
    stampsKept_++;
    while (!state.waiting.empty() && state.waiting.front().when <= event.stamp) {
      std::pop_heap(state.waiting.begin(), state.waiting.end(), std::greater<Turn>());
      uint32_t waiter = state.waiting.back().index;
      state.waiting.pop_back();
      of_[waiter].mayStay = false;
      turns_.push({threads_[waiter]->clock, waiter});
    }
  }

  void visit(uint32_t index, uint64_t stamp) {
    uint32_t number = threads_[index]->number;
    scouts_[index]->advance(stamp, [&](const Event &event) {
      if (isRelease(event.code)) table_.announce(number, event);
    });
    if (of_[index].listed || scouts_[index]->unissued.empty()) return;
    of_[index].listed = true;
    visited_.push_back(index);
  }

  std::optional<Blocker> blockerOf(uint32_t index, const Event &event) {
    while (!unvisited_.empty() && unvisited_.top().when < event.stamp) {
      uint32_t behind = unvisited_.top().index;
      unvisited_.pop();
      if (!scouts_[behind]) continue;
      visit(behind, event.stamp - 1);
      if (uint64_t next = scouts_[behind]->nextStamp(); next != Scout::NO_STAMP) unvisited_.push({next, behind});
    }
    if (event.code != DPROF_EVENT_BLOCKED) return table_.blocker(threads_[index]->number, event);
    for (size_t i = 0; i < visited_.size();) {
      uint32_t other = visited_[i];
      if (!scouts_[other] || scouts_[other]->unissued.empty()) {
        of_[other].listed = false;
        visited_[i] = visited_.back();
        visited_.pop_back();
        continue;
      }
      i++;
      const auto &unissued = scouts_[other]->unissued;
      if (other == index || unissued.front() >= event.stamp) continue;
      return Blocker{threads_[other]->number, *std::prev(std::lower_bound(unissued.begin(), unissued.end(), event.stamp))};
    }
    return std::nullopt;
  }

  /// Largest clock that another thread had at its last stamp below `stamp`.
  uint64_t clockOfOthers(uint32_t index, uint64_t stamp) const {
    uint64_t most = 0;
    for (uint32_t i : stamped_) {
      const auto &stamps = of_[i].stamps;
      auto after = std::partition_point(stamps.begin(), stamps.end(), [&](const auto &issued) { return issued.first < stamp; });
      if (i != index && after != stamps.begin()) most = std::max(most, std::prev(after)->second);
    }
    return most;
  }

  /// What lies below every clock that an unfinished thread will ever have. Nearly all that wait will be raised to their blocker's clock at
  /// least; so what counts are the rest, the thread at hand, with this clock, and those that compete.
  void forget(uint64_t clock) {
    if (!table_.wantsForget() && stampsKept_ < stampsThreshold_) return;
    uint64_t least = turns_.empty() ? clock : std::min(clock, turns_.top().when);
    std::erase_if(mayStay_, [&](uint32_t index) {
      if (of_[index].mayStay) least = std::min(least, threads_[index]->clock);
      return !of_[index].mayStay;
    });
    if (table_.wantsForget()) table_.forget(least);
    if (stampsKept_ < stampsThreshold_) return;
    stampsKept_ = 0;
    std::erase_if(stamped_, [&](uint32_t index) {
      auto &stamps = of_[index].stamps;
      stamps.erase(stamps.begin(), std::partition_point(stamps.begin(), stamps.end(), [&](const auto &stamp) { return stamp.second <= least; }));
      if (stamps.empty()) std::vector<std::pair<uint64_t, uint64_t>>().swap(stamps);
      stampsKept_ += stamps.size();
      return stamps.empty();
    });
    stampsThreshold_ = std::max<size_t>(LEAST_STAMPS, stampsKept_ * 2);
  }

  static constexpr size_t LEAST_STAMPS = 1 << 13;
  Replay &replay_;
  std::vector<std::unique_ptr<ThreadRun>> &threads_;
  std::vector<std::unique_ptr<Scout>> scouts_; // none: the thread has ended
  std::vector<State> of_;
  std::vector<uint32_t> indexOf_;
  std::vector<uint32_t> visited_; // those with visited events that are not issued, and some more
  std::vector<uint32_t> stamped_; // those with stamps
  std::vector<uint32_t> mayStay_; // those of which that is true, and some more
  size_t stampsKept_ = 0, stampsThreshold_ = LEAST_STAMPS;
  Turns turns_;
  Turns unvisited_; // by the next stamp that is not visited, or one that since was
  SyncTable table_;
};

/// Step times interpolate between stamps, so each thread is decoded a second time, one stamp ahead.
class StampAhead {
public:
  StampAhead(const Replay &replay, const ThreadChunks &chunks, size_t batchSteps)
      : plans_(replay.plans), decoder_(replay.file, replay.plans, chunks), batchSteps_(batchSteps) {
    find();
  }

  uint64_t timeOf(uint64_t instructions) const {
    if (!hasBefore_) return hasNext_ ? next_ : 0;
    if (!hasNext_ || atNext_ == atBefore_) return before_;
    return before_ + static_cast<uint64_t>(static_cast<unsigned __int128>(next_ - before_) * (instructions - atBefore_) / (atNext_ - atBefore_));
  }
  void pass() {
    before_ = next_;
    atBefore_ = atNext_;
    hasBefore_ = hasNext_;
    find();
  }

private:
  void find() {
    for (hasNext_ = false;; step_++) {
      if (step_ == batch_.stepCount) {
        if (!decoder_.next(batch_, batchSteps_)) return;
        step_ = event_ = 0;
      }
      uint32_t record = batch_.steps[step_];
      bool stamped = record != EVENT_STEP && plans_.records[record].stamped;
      if (record == EVENT_STEP || stamped) {
        const Event &event = batch_.events[event_++];
        if (hasStamp(event.code)) {
          next_ = event.stamp;
          atNext_ = instructions_;
          hasNext_ = true;
        }
      }
      if (record != EVENT_STEP && plans_.records[record].tag == DPROF_RECORD_SEGMENT) instructions_ += plans_.records[record].instructions;
      if (hasNext_) {
        step_++;
        return;
      }
    }
  }
  const Plans &plans_;
  Decoder decoder_;
  const size_t batchSteps_;
  Batch batch_;
  size_t step_ = 0, event_ = 0;
  uint64_t before_ = 0, next_ = 0, atBefore_ = 0, atNext_ = 0, instructions_ = 0;
  bool hasBefore_ = false, hasNext_ = false;
};

template <bool Single> void runRecorded(Replay &replay, std::vector<std::unique_ptr<ThreadRun>> &threads) {
  std::vector<std::unique_ptr<StampAhead>> ahead(threads.size()); // of the open ones: those that have begun and not ended
  size_t open = 0;
  Turns turns;
  auto stampOf = [&](ThreadRun &thread) -> const Event * {
    uint32_t record = thread.record();
    if (record != EVENT_STEP && !replay.plans.records[record].stamped) return nullptr;
    return hasStamp(thread.event().code) ? &thread.event() : nullptr;
  };
  auto ready = [&](uint32_t index) {
    if (threads[index]->ready()) return true;
    ahead[index].reset();
    open--;
    return false;
  };
  auto queue = [&](uint32_t index) {
    if (!ready(index)) return;
    ThreadRun &thread = *threads[index];
    const Event *stamp = stampOf(thread);
    turns.push({stamp ? stamp->stamp : ahead[index]->timeOf(thread.clock), index});
  };
  // Whatever its first step is, it has the time of the first stamp; so nothing is decoded of threads that have not begun.
  for (uint32_t i = 0; i < threads.size(); i++) {
    uint64_t first = Scout(replay.file, replay.input.threads[threads[i]->number]).nextStamp();
    turns.push({first == Scout::NO_STAMP ? 0 : first, i});
  }
  for (uint64_t n = 0; !turns.empty(); n++) {
    uint32_t index = turns.top().index;
    turns.pop();
    ThreadRun &thread = *threads[index];
    if (n % 4096 == 0) replay.reportProgress(bytesRead(threads));
    if (!thread.hasBegun()) {
      ahead[index] = std::make_unique<StampAhead>(replay, replay.input.threads[thread.number], stepsPerBatch(++open));
      if (!ready(index)) continue;
    }
    bool stamped = stampOf(thread) != nullptr;
    replay.issue<Single>(thread);
    if (stamped) ahead[index]->pass();
    queue(index);
  }
}

} // namespace

template <bool Single> void runInOrder(Replay &replay, std::vector<std::unique_ptr<ThreadRun>> &threads) {
  if (replay.input.recorded) runRecorded<Single>(replay, threads);
  else LogicalOrder<Single>(replay, threads).run();
}

template void runInOrder<true>(Replay &, std::vector<std::unique_ptr<ThreadRun>> &);
template void runInOrder<false>(Replay &, std::vector<std::unique_ptr<ThreadRun>> &);

} // namespace dprof
