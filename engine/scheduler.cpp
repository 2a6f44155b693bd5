// Stage: replay. Logical order (clocks, recorded synchronisation) and recorded order (time stamps).
#include "scheduler.h"

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

template <bool Single> class LogicalOrder {
public:
  LogicalOrder(Replay &replay, std::vector<std::unique_ptr<ThreadRun>> &threads) : replay_(replay), threads_(threads), of_(threads.size()) {
    for (uint32_t i = 0; i < threads.size(); i++) {
      scouts_.push_back(std::make_unique<Scout>(replay.file, replay.input.threads[threads[i]->number]));
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
    if (!waiting_.empty())
      throw TraceError("stamps of thread " + std::to_string(threads_[waiting_[0]]->number), 0, "threads that can go on", "all of them waiting for one another");
  }

private:
  struct State {
    Blocker blocker;
    std::vector<std::pair<uint64_t, uint64_t>> stamps; // issued: stamp, clock
    size_t stampsThreshold = 1 << 12;
    uint64_t issuedStamp = 0;
    bool any = false, finished = false, blocked = false;
  };

  /// Steps of one thread for as long as it would be chosen again.
  void takeTurn(uint32_t index) {
    ThreadRun &thread = *threads_[index];
    for (;;) {
      if (!thread.ready()) {
        of_[index].finished = true;
        return;
      }
      uint32_t record = thread.record();
      if (record != EVENT_STEP && !replay_.plans.records[record].stamped) {
        replay_.issue<Single>(thread);
      } else if (const Event event = thread.event(); !hasStamp(event.code)) {
        replay_.issue<Single>(thread);
      } else {
        if (isAcquire(event.code) || event.code == DPROF_EVENT_BLOCKED) {
          if (auto blocker = blockerOf(index, event)) {
            thread.waited = true;
            of_[index].blocked = true;
            of_[index].blocker = *blocker;
            waiting_.push_back(index);
            return;
          }
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

  void issueStamped(uint32_t index, const Event &event) {
    ThreadRun &thread = *threads_[index];
    State &state = of_[index];
    scoutTo(index, event.stamp);
    uint64_t clock = thread.clock;
    uint64_t freed = freesRange(event) && event.size == 0 ? replay_.objects.heapSize(event.address, event.detail) : 0;
    replay_.issue<Single>(thread);
    scouts_[index]->unissued.pop_front();
    if (isRelease(event.code)) table_.issue(thread.number, event, freed, clock);
    state.stamps.push_back({event.stamp, clock});
    state.issuedStamp = event.stamp;
    state.any = true;
    for (size_t i = 0; i < waiting_.size();) {
      uint32_t waiter = waiting_[i];
      const Blocker &on = of_[waiter].blocker;
      if (on.thread != thread.number || on.key > event.stamp) {
        i++;
        continue;
      }
      waiting_[i] = waiting_.back();
      waiting_.pop_back();
      of_[waiter].blocked = false;
      turns_.push({threads_[waiter]->clock, waiter});
    }
    if (table_.wantsForget()) table_.forget(leastClock());
    if (state.stamps.size() >= state.stampsThreshold) {
      uint64_t least = leastClock();
      auto kept = std::partition_point(state.stamps.begin(), state.stamps.end(), [&](const auto &stamp) { return stamp.second <= least; });
      state.stamps.erase(state.stamps.begin(), kept);
      state.stampsThreshold = std::max<size_t>(1 << 12, state.stamps.size() * 2);
    }
  }

  void scoutTo(uint32_t index, uint64_t stamp) {
    uint32_t number = threads_[index]->number;
    scouts_[index]->advance(stamp, [&](const Event &event) {
      if (isRelease(event.code)) table_.announce(number, event);
    });
  }

  std::optional<Blocker> blockerOf(uint32_t index, const Event &event) {
    for (uint32_t i = 0; i < threads_.size(); i++)
      if (i != index) scoutTo(i, event.stamp);
    if (event.code != DPROF_EVENT_BLOCKED) return table_.blocker(threads_[index]->number, event);
    for (uint32_t i = 0; i < threads_.size(); i++) {
      const auto &unissued = scouts_[i]->unissued;
      if (i == index || unissued.empty() || unissued.front() >= event.stamp) continue;
      return Blocker{threads_[i]->number, *std::prev(std::lower_bound(unissued.begin(), unissued.end(), event.stamp))};
    }
    return std::nullopt;
  }

  /// Largest clock that another thread had at its last stamp below `stamp`.
  uint64_t clockOfOthers(uint32_t index, uint64_t stamp) const {
    uint64_t most = 0;
    for (uint32_t i = 0; i < threads_.size(); i++) {
      const auto &stamps = of_[i].stamps;
      auto after = std::partition_point(stamps.begin(), stamps.end(), [&](const auto &issued) { return issued.first < stamp; });
      if (i != index && after != stamps.begin()) most = std::max(most, std::prev(after)->second);
    }
    return most;
  }

  /// No unfinished thread will ever have a smaller clock. A waiting one will be raised to its blocker's at least.
  uint64_t leastClock() const {
    uint64_t least = ~uint64_t{0};
    for (uint32_t i = 0; i < threads_.size(); i++) {
      if (of_[i].finished) continue;
      uint64_t clock = threads_[i]->clock;
      uint32_t at = i;
      for (size_t depth = 0; of_[at].blocked && depth < threads_.size(); depth++) {
        at = indexOf_[of_[at].blocker.thread];
        clock = std::max(clock, threads_[at]->clock);
      }
      least = std::min(least, clock);
    }
    return least;
  }

  Replay &replay_;
  std::vector<std::unique_ptr<ThreadRun>> &threads_;
  std::vector<std::unique_ptr<Scout>> scouts_;
  std::vector<State> of_;
  std::vector<uint32_t> indexOf_, waiting_;
  Turns turns_;
  SyncTable table_;
};

/// Step times interpolate between stamps, so each thread is decoded a second time, one stamp ahead.
class StampAhead {
public:
  StampAhead(const Replay &replay, const ThreadChunks &chunks) : plans_(replay.plans), decoder_(replay.file, replay.plans, chunks) { find(); }

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
        if (!decoder_.next(batch_)) return;
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
  Batch batch_;
  size_t step_ = 0, event_ = 0;
  uint64_t before_ = 0, next_ = 0, atBefore_ = 0, atNext_ = 0, instructions_ = 0;
  bool hasBefore_ = false, hasNext_ = false;
};

template <bool Single> void runRecorded(Replay &replay, std::vector<std::unique_ptr<ThreadRun>> &threads) {
  std::vector<std::unique_ptr<StampAhead>> ahead;
  Turns turns;
  auto stampOf = [&](ThreadRun &thread) -> const Event * {
    uint32_t record = thread.record();
    if (record != EVENT_STEP && !replay.plans.records[record].stamped) return nullptr;
    return hasStamp(thread.event().code) ? &thread.event() : nullptr;
  };
  auto queue = [&](uint32_t index) {
    ThreadRun &thread = *threads[index];
    if (!thread.ready()) return;
    const Event *stamp = stampOf(thread);
    turns.push({stamp ? stamp->stamp : ahead[index]->timeOf(thread.clock), index});
  };
  for (uint32_t i = 0; i < threads.size(); i++) {
    ahead.push_back(std::make_unique<StampAhead>(replay, replay.input.threads[threads[i]->number]));
    queue(i);
  }
  for (uint64_t n = 0; !turns.empty(); n++) {
    uint32_t index = turns.top().index;
    turns.pop();
    ThreadRun &thread = *threads[index];
    if (n % 4096 == 0) replay.reportProgress(bytesRead(threads));
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
