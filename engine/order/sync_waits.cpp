// Stage: replay. docs/replay/order.md, 2 to 4, for all threads at once.
#include "order/sync_waits.h"

namespace dprof {

SyncWaits::SyncWaits(const TraceFile &file, const Input &input, const Plans &plans,
                     std::vector<std::unique_ptr<ThreadRun>> &threads, Renames *renames, Parallelism &parallelism)
    : file_(file), input_(input), plans_(plans), threads_(threads), of_(threads.size()),
      table_(renames != nullptr, !input.live), renames_(renames), parallelism_(parallelism), live_(input.live) {
  if (live_) births_[0] = 0;
  for (uint32_t i = 0; i < threads.size(); i++) {
    scouts_.push_back(std::make_unique<Scout>(file, input.threads[threads[i]->number]));
    if (scouts_[i]->nextStamp() != Scout::NO_STAMP) unvisited_.push({scouts_[i]->nextStamp(), i});
    if (indexOf_.size() <= threads[i]->number) indexOf_.resize(threads[i]->number + 1);
    indexOf_[threads[i]->number] = i;
  }
}

bool SyncWaits::hasToWait(uint32_t index) {
  ThreadRun &thread = *threads_[index];
  if (!thread.hasBegun()) { // its scout says it without a decoder
    const Event *first = scouts_[index]->firstStep();
    return first && hasToWait(index, Event(*first));
  }
  return thread.ready() && isStamped(thread) && hasToWait(index, thread.event());
}

bool SyncWaits::hasToWait(uint32_t index, const Event &event) {
  if (!isAcquire(event.code) && event.code != DPROF_EVENT_BLOCKED) return false;
  auto blocker = endAhead(index, event);
  if (!blocker) blocker = blockerOf(index, event);
  if (blocker) park(index, *blocker);
  return blocker.has_value();
}

/// A join waits for the thread's end, whatever comes before that. So nothing is visited: all that happens meanwhile
/// would have to be kept.
std::optional<Blocker> SyncWaits::endAhead(uint32_t index, const Event &event) {
  if (live_ || event.code != DPROF_EVENT_ACQUIRE || event.detail != DPROF_SYNC_THREAD_JOIN) return std::nullopt;
  if (event.address >= indexOf_.size()) return std::nullopt;
  const uint32_t joined = indexOf_[event.address];
  if (joined == index || threads_[joined]->number != event.address || !scouts_[joined]) return std::nullopt;
  const uint64_t end = scouts_[joined]->endStamp();
  if (end >= event.stamp || of_[joined].hasIssuedEnd) return std::nullopt;
  return Blocker{threads_[joined]->number, end};
}

void SyncWaits::park(uint32_t index, const Blocker &blocker) {
  threads_[index]->waited = true;
  stop(*threads_[index]);
  of_[index].mayStay = blocker.mayBindNobody;
  if (blocker.mayBindNobody) mayStay_.push_back(index);
  auto &waiting = of_[indexOf_[blocker.thread]].waiting;
  waiting.push_back({blocker.key, index});
  std::push_heap(waiting.begin(), waiting.end(), std::greater<Turn>());
}

bool SyncWaits::raise(uint32_t index) {
  ThreadRun &thread = *threads_[index];
  const Event &event = thread.event();
  thread.raised = 0;
  if (!isAcquire(event.code) && event.code != DPROF_EVENT_BLOCKED) return false;
  uint64_t clock = event.code == DPROF_EVENT_BLOCKED ? clockOfOthers(index, event.stamp) : of_[index].acquired;
  if (takesMemory(event) && (!renames_ || !isRenamable(event)))
    clock = std::max(clock, table_.memoryClock(thread.number, event));
  if (clock <= thread.clock) return false;
  thread.raised = clock - thread.clock;
  stop(thread);
  parallelism_.wait(event, thread.raised);
  thread.clock = clock;
  thread.waited = true;
  return thread.record() != EVENT_STEP;
}

void SyncWaits::visit(uint32_t index, uint64_t stamp, bool inOrder) {
  const uint32_t number = threads_[index]->number;
  scouts_[index]->advance(stamp, [&](const Event &event) {
    if (inOrder) table_.objects.knowTo(event.stamp);
    if (live_) bear(event);
    return table_.announce(number, event);
  });
  if (of_[index].listed || scouts_[index]->unissued.empty()) return;
  of_[index].listed = true;
  visited_.push_back(index);
}

/// Visits all threads' events with smaller stamps, in the order of stamps: a free releases what was allocated there
/// before. False: not all of these events have come.
bool SyncWaits::visitBefore(uint64_t stamp) {
  if (stamp <= table_.objects.known()) return true;
  while (!unvisited_.empty() && unvisited_.top().when < stamp) {
    const Turn first = unvisited_.top();
    if (live_ && firstBirth() < first.when) break;
    if (!scouts_[first.index]) {
      unvisited_.pop();
      continue;
    }
    Scout &scout = *scouts_[first.index];
    scout.refresh();
    if (scout.nextStamp() == first.when) {
      if (scout.isDry()) return false;
      // Of a live trace one alone: each may bring a thread to life that has not come.
      visit(first.index, live_ ? first.when : std::min(stamp, unvisited_.topEnd()) - 1, !live_);
    }
    if (scout.nextStamp() == Scout::NO_STAMP)
      unvisited_.pop();
    else
      unvisited_.delayTop(scout.nextStamp());
  }
  if (live_ && firstBirth() < stamp) return false;
  table_.objects.knowTo(stamp);
  return true;
}

/// The object that the event acquires, 0 for none that anybody has to do with. In a live trace the event may be one
/// that is assumed.
uint32_t SyncWaits::objectOf(uint32_t index, const Event &event) {
  const auto &unissued = scouts_[index]->unissued;
  if (!live_ && unissued.front().stamp == event.stamp) {
    const uint32_t entry = unissued.front().entry;
    return entry ? table_.objects.objectOf(entry) : 0;
  }
  auto object = SyncTable::acquired(threads_[index]->number, event);
  return object ? table_.objects.find(*object) : 0;
}

/// The first of the releases above the birth, of the event's address or memory.
std::optional<Blocker> SyncWaits::blockerSince(uint32_t index, const Event &event, Birth birth) {
  const uint32_t thread = threads_[index]->number;
  if (!isAtAddress(event)) return table_.memoryBlocker(thread, event, birth);
  const uint32_t object = objectOf(index, event);
  if (!object) return std::nullopt;
  return table_.objects.blocker(object, thread, event.stamp, birth, of_[index].acquired);
}

/// The event's turn came. What it has to wait for does not change until all of that is issued.
std::optional<Blocker> SyncWaits::blockerFrom(uint32_t index, const Event &event, Birth birth) {
  State &state = of_[index];
  const uint32_t thread = threads_[index]->number;
  state.since.reset();
  if (isAtAddress(event)) {
    auto blocker = blockerSince(index, event, birth);
    if (blocker && renames_) state.since = birth;
    return blocker;
  }
  if (const uint32_t object = objectOf(index, event))
    if (auto blocker = table_.objects.blocker(object, thread, event.stamp, Birth{}, state.acquired)) return blocker;
  if (!takesMemory(event)) return std::nullopt;
  auto blocker = table_.memoryBlocker(thread, event, birth);
  state.renames =
      blocker && renames_ && isRenamable(event) && renames_->findPlace(event.address, event.size).has_value();
  if (state.renames) return std::nullopt;
  if (blocker && renames_) state.since = birth;
  return blocker;
}

std::optional<Blocker> SyncWaits::blockerOf(uint32_t index, const Event &event) {
  visitBefore(event.stamp);
  if (!live_) visit(index, event.stamp, true);
  State &state = of_[index];
  state.renames = false;
  state.acquired = 0;
  if (event.code != DPROF_EVENT_BLOCKED) {
    const Birth birth = birthOf(event);
    if (state.since) {
      if (auto blocker = blockerSince(index, event, *state.since)) return blocker;
      if (*state.since == birth) return std::nullopt;
    }
    return blockerFrom(index, event, birth);
  }
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
    auto isBefore = [&](const Scout::Visited &visited) { return visited.stamp < event.stamp; };
    if (other == index || unissued.front().stamp >= event.stamp) continue;
    return Blocker{threads_[other]->number,
                   std::prev(std::partition_point(unissued.begin(), unissued.end(), isBefore))->stamp};
  }
  return std::nullopt;
}

/// Memory is handed out, by an ALLOCATE or to a THREAD_START that need not wait.
void SyncWaits::takeMemory(uint32_t index, const Event &event) {
  bool isPart = event.code == DPROF_EVENT_ALLOCATE && event.detail == DPROF_ALLOCATOR_PART;
  if ((event.code != DPROF_EVENT_ALLOCATE && event.code != DPROF_EVENT_THREAD_START) || isPart) return;
  if (!std::exchange(of_[index].renames, false)) return renames_->keep(event.address, event.size, event.stamp);
  renames_->rename(event.address, event.size, event.stamp, *renames_->findPlace(event.address, event.size));
  ParallelismTable &table = parallelism_.table;
  (event.code == DPROF_EVENT_ALLOCATE ? table.renamedBlocks : table.renamedStacks)++;
}

/// Largest clock that another thread had at its last stamp below `stamp`.
uint64_t SyncWaits::clockOfOthers(uint32_t index, uint64_t stamp) const {
  uint64_t most = 0;
  for (uint32_t i : stamped_) {
    const auto &stamps = of_[i].stamps;
    auto after =
        std::partition_point(stamps.begin(), stamps.end(), [&](const auto &issued) { return issued.first < stamp; });
    if (i != index && after != stamps.begin()) most = std::max(most, std::prev(after)->second);
  }
  return most;
}

/// Forgets entries below every clock that an unfinished thread will ever have. `least` is the smallest clock of the
/// threads that need not wait. Nearly all waiting threads will be raised at least to their blocker's clock, so only the
/// rest (`mayStay_`) count besides.
void SyncWaits::forget(uint64_t least) {
  std::erase_if(mayStay_, [&](uint32_t index) {
    if (of_[index].mayStay) least = std::min(least, threads_[index]->clock);
    return !of_[index].mayStay;
  });
  if (parallelism_.isLong()) parallelism_.settle(least);
  table_.forget(least);
  if (stampsKept_ < stampsThreshold_) return;
  stampsKept_ = 0;
  std::erase_if(stamped_, [&](uint32_t index) {
    auto &stamps = of_[index].stamps;
    stamps.erase(stamps.begin(), std::partition_point(stamps.begin(), stamps.end(),
                                                      [&](const auto &stamp) { return stamp.second <= least; }));
    if (stamps.empty()) std::vector<std::pair<uint64_t, uint64_t>>().swap(stamps);
    stampsKept_ += stamps.size();
    return stamps.empty();
  });
  stampsThreshold_ = std::max<size_t>(LEAST_STAMPS, stampsKept_ * 2);
}

void SyncWaits::checkAllEnded() const {
  for (uint32_t i = 0; i < threads_.size(); i++)
    if (scouts_[i])
      throw TraceError("stamps of thread " + std::to_string(threads_[i]->number), 0, "threads that can go on",
                       "all of them waiting for one another");
}

} // namespace dprof
