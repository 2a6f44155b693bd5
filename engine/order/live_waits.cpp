// Stage: replay, while the program runs. Waits of threads whose next step has not come. The facts known about that step
// and the other threads either show that the thread has to wait, or show nothing yet.
//
// A thread that sleeps will have larger stamps than its outlook's, and the outlook says what its next event is. So it
// waits for each release of that object that is issued later and has a smaller key. It also waits for the next release
// by the thread that holds the mutex, and for the end of a thread that it joins. When the step comes, it is compared
// with that assumption: the replay never uses an order that the trace does not have.
#include "order/sync_waits.h"
#include "trace/live_source.h"

namespace dprof {

void SyncWaits::add(uint32_t index) {
  if (of_.size() <= index) {
    of_.resize(index + 1);
    scouts_.resize(index + 1);
  }
  while (indexOf_.size() <= index) indexOf_.push_back(static_cast<uint32_t>(indexOf_.size()));
  scouts_[index] = std::make_unique<Scout>(file_, input_.threads[index]);
  births_.erase(index);
  unvisited_.push({scouts_[index]->nextStamp(), index});
}

/// Threads that are announced and have not come may have done anything since.
uint64_t SyncWaits::firstBirth() const {
  uint64_t first = ~uint64_t{0};
  if (births_.empty() || input_.live->isOver()) return first;
  for (auto [thread, stamp] : births_) first = std::min(first, stamp);
  return first;
}

void SyncWaits::bear(const Event &event) {
  if (event.code == DPROF_EVENT_RELEASE && event.detail == DPROF_SYNC_THREAD_CREATE && !hasCome(event.address))
    births_.emplace(event.address, event.stamp);
}

void SyncWaits::trackHolder(uint32_t index, const Event &event) {
  if (event.detail != DPROF_SYNC_MUTEX) return;
  if (event.code == DPROF_EVENT_ACQUIRE) {
    auto &[holder, times] = holders_[event.address];
    times = holder == index ? times + 1 : 1;
    holder = index;
  } else if (event.code == DPROF_EVENT_RELEASE) {
    auto found = holders_.find(event.address);
    if (found != holders_.end() && (found->second.first != index || --found->second.second == 0)) holders_.erase(found);
  }
}

/// The thread that has to release the object before this thread can have it.
std::optional<uint32_t> SyncWaits::holderOf(uint32_t index, const Outlook &outlook) const {
  uint32_t holder = NO_INDEX;
  if (outlook.next != Outlook::ACQUIRE) return std::nullopt;
  if (outlook.detail == DPROF_SYNC_THREAD_JOIN && outlook.object < scouts_.size())
    holder = static_cast<uint32_t>(outlook.object);
  if (outlook.detail == DPROF_SYNC_MUTEX)
    if (auto found = holders_.find(outlook.object); found != holders_.end()) holder = found->second.first;
  if (holder == NO_INDEX || holder == index || !scouts_[holder] || of_[holder].hasIssuedEnd) return std::nullopt;
  return holder;
}

bool SyncWaits::hasToWaitUnseen(uint32_t index) {
  const Outlook &outlook = threads_[index]->outlook();
  if (outlook.next != Outlook::ACQUIRE && outlook.next != Outlook::BLOCKED) return false;
  Event least = {};
  least.code = outlook.next == Outlook::ACQUIRE ? DPROF_EVENT_ACQUIRE : DPROF_EVENT_BLOCKED;
  least.detail = outlook.detail;
  least.address = outlook.object;
  least.stamp = outlook.stamp + 1;
  auto &promise = of_[index].promise;
  if (promise.code && (promise.code != least.code || promise.detail != least.detail || promise.object != least.address))
    return false;
  std::optional<Blocker> blocker = blockerOf(index, least);
  std::optional<uint32_t> holder = blocker ? std::nullopt : holderOf(index, outlook);
  if (!blocker && !holder) return false;
  promise.code = least.code;
  promise.detail = least.detail;
  promise.object = least.address;
  promise.isHeld = holder.has_value();
  if (blocker) {
    promise.after = std::max(promise.after, blocker->key);
    park(index, *blocker);
    return true;
  }
  threads_[index]->waited = true;
  stop(*threads_[index]);
  promise.by = *holder;
  of_[*holder].heldUp.push_back(index);
  return true;
}

bool SyncWaits::keepsPromise(uint32_t index) {
  auto &promise = of_[index].promise;
  if (!promise.code) return true;
  ThreadRun &thread = *threads_[index];
  if (thread.record() != EVENT_STEP) return false;
  const Event event = thread.event();
  if (event.code != promise.code || event.stamp <= promise.after) return false;
  if (event.code == DPROF_EVENT_ACQUIRE && (event.detail != promise.detail || event.address != promise.object))
    return false;
  if (promise.isHeld && !blockerOf(index, event)) return false;
  promise = {};
  return true;
}

bool SyncWaits::letGo(uint32_t index) {
  auto &promise = of_[index].promise;
  if (promise.by == NO_INDEX) return false;
  std::erase(of_[promise.by].heldUp, index);
  promise.by = NO_INDEX;
  return true;
}

} // namespace dprof
