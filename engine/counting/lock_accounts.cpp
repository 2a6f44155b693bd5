// Stage: replay. Follows who acquires and holds which lock, and which references happen meanwhile.
#include "counting/lock_accounts.h"

#include <algorithm>

#include "batch/outcome.h"
#include "objects/leaves.h"

namespace dprof {

void LockAccounts::begin(const ReferenceBatch &batch) {
  at_ = 0;
  nextThread_ = nextStep_ = 0;
  odd_ = batch.odd.data();
  outcome_ = batch.outcomes.data();
  isOfSeveral_ |= batch.isOfSeveralThreads;
}

// -- references

/// Turns of threads that hold nothing are passed over as a whole; all turns, if nobody holds anything.
void LockAccounts::passTo(const ReferenceBatch &batch, uint32_t end) {
  if (!holding_ || batch.threads.empty()) { // nobody reads what a lone thread's locks cost
    at_ = end;
    return;
  }
  const OddAccess *const oddEnd = batch.odd.data() + batch.odd.size();
  while (at_ < end) {
    while (nextThread_ < batch.threads.size() && batch.threads[nextThread_].reference <= at_)
      thread_ = batch.threads[nextThread_++].thread;
    uint32_t stop = nextThread_ < batch.threads.size() ? std::min(end, batch.threads[nextThread_].reference) : end;
    if (thread_ >= held_.size() || held_[thread_].empty()) {
      at_ = stop;
      continue;
    }
    const uint32_t lock = held_[thread_].back().lock;
    while (odd_ < oddEnd && odd_->reference < at_) odd_++;
    while (outcome_->reference < at_) outcome_++; // the last one is of no reference
    for (; at_ < stop; at_++) {
      const Reference &reference = batch.references[at_];
      if (odd_ < oddEnd && odd_->reference == at_) [[unlikely]] {
        uint64_t address = reference.address;
        for (uint32_t piece = 0; piece < odd_->pieces; piece++) {
          count(lock, reference.slot, batch.pieces[odd_->firstPiece + piece], address, outcome_++->bits);
          address += lineMask_ + 1 - (address & lineMask_);
        }
        odd_++;
        continue;
      }
      count(lock, reference.slot, reference.granule, reference.address,
            outcome_->reference == at_ ? outcome_++->bits : outcome::PLAIN);
    }
  }
}

inline void LockAccounts::count(uint32_t lock, uint32_t slot, uint32_t granule, uint64_t address, uint32_t bits) {
  LiveObject *object = objects_.lookUp(granule, address);
  Data &data = dataOf(lock, labels_.ofReference(plans_.slots[slot], object));
  data.references++;
  const uint32_t kind = outcome::missClass(bits, 0);
  if (kind == HIT) return;
  data.misses++;
  data.trueSharing += kind == TRUE_SHARING;
  data.falseSharing += kind == FALSE_SHARING;
}

inline LockAccounts::Data &LockAccounts::dataOf(uint32_t lock, uint32_t label) {
  uint64_t key = uint64_t{lock} << 32 | label;
  Lately &lately = lately_[key * 0x9e3779b97f4a7c15ull >> 56];
  if (lately.key != key) [[unlikely]] {
    auto [found, isNew] = rows_.try_emplace(key, static_cast<uint32_t>(data_.size()));
    if (isNew) data_.push_back({lock, label, 0, 0, 0, 0});
    lately = {key, found->second};
  }
  return data_[lately.row];
}

// -- locks

void LockAccounts::event(const ReferenceBatch &batch, uint32_t thread, const Event &event) {
  if (isGap(event)) forgetHolds(thread);
  if (!isOfLock(event) || nextStep_ == batch.lockSteps.size()) return; // none are told of a thread for itself
  const LockStep &step = batch.lockSteps[nextStep_++];
  if (event.code == DPROF_EVENT_RELEASE)
    release(thread, event, step.clock);
  else
    acquire(thread, event, step);
}

void LockAccounts::acquire(uint32_t thread, const Event &event, const LockStep &step) {
  const uint32_t number = lockAt(event);
  Lock &lock = locks_[number];
  lock.acquisitions++;
  lock.byThread[thread]++;
  auto [caller, isNew] = lock.callerOf.try_emplace(step.path, lock.callers.size());
  if (isNew) lock.callers.push_back({step.path, 0});
  lock.callers[caller->second].acquisitions++;
  if (step.raised) {
    lock.waits++;
    lock.wait += step.raised;
    lock.longestWait = std::max(lock.longestWait, step.raised);
  }
  if (event.detail == DPROF_SYNC_SEMAPHORE) { // anybody may post it
    if (thread >= waited_.size()) waited_.resize(std::max<size_t>(thread + 1, waited_.size() * 2));
    waited_[thread][event.address] = {number, step.clock};
    return;
  }
  std::vector<Hold> &holds = heldBy(thread);
  auto hold = std::find_if(holds.begin(), holds.end(),
                           [&](const Hold &of) { return of.object == event.address && of.kind == event.detail; });
  if (hold != holds.end()) {
    hold->depth++;
    return;
  }
  holds.push_back({event.address, event.detail, number, 1, step.clock});
  holding_++;
}

void LockAccounts::release(uint32_t thread, const Event &event, uint64_t clock) {
  if (event.detail == DPROF_SYNC_SEMAPHORE) {
    if (thread >= waited_.size()) return;
    auto waited = waited_[thread].find(event.address);
    if (waited == waited_[thread].end()) return;
    endHold(waited->second.lock, clock - waited->second.since);
    waited_[thread].erase(waited);
    return;
  }
  if (thread >= held_.size()) return;
  std::vector<Hold> &holds = held_[thread];
  auto hold = std::find_if(holds.begin(), holds.end(),
                           [&](const Hold &of) { return of.object == event.address && of.kind == event.detail; });
  if (hold == holds.end() || --hold->depth) return;
  endHold(hold->lock, clock - hold->since);
  holds.erase(hold);
  holding_--;
}

void LockAccounts::endHold(uint32_t number, uint64_t length) {
  Lock &lock = locks_[number];
  lock.holds++;
  lock.hold += length;
  lock.longestHold = std::max(lock.longestHold, length);
}

void LockAccounts::forgetHolds(uint32_t thread) {
  holding_ -= heldBy(thread).size();
  heldBy(thread).clear();
  if (thread < waited_.size()) waited_[thread].clear();
}

/// The row of the lock, which it gets when it is acquired first in the life of the object that it lies in.
uint32_t LockAccounts::lockAt(const Event &event) {
  constexpr uint64_t MOST_ADDRESS = (uint64_t{1} << 53) - 1;
  const uint64_t address = event.address;
  uint32_t live = 0;
  if (address <= MOST_ADDRESS) {
    uint32_t frame = pages_.find(PageMap::pageOf(address));
    live = frame ? objects_.find(PageMap::granule(frame, address), address) : objects_.search(address);
  }
  if (uint32_t known = known_.find({address, live, event.detail})) return known_[known].lock;
  const uint32_t lock = lockNamed(event.detail, live ? &objects_.at(live) : nullptr, address);
  if (live >= firstOf_.size()) firstOf_.resize(std::max<size_t>(live + 1, firstOf_.size() * 2));
  firstOf_[live] = known_.add({address, live, event.detail, lock, firstOf_[live]});
  locks_[lock].locks++;
  return lock;
}

uint32_t LockAccounts::lockNamed(uint8_t kind, LiveObject *object, uint64_t address) {
  const uint32_t label = labels_.ofByte(object), variable = object ? object->variable : 0;
  uint32_t leaf = NO_INDEX;
  if (object)
    leaf = object->declared ? declaredLeaf(input_, *object, address) : object->kind == HEAP ? NO_INDEX : variable;
  auto [found, isNew] = numbers_.try_emplace({kind, label, leaf, variable}, static_cast<uint32_t>(locks_.size()));
  if (isNew) locks_.push_back({kind, label, leaf, variable, 0, 0, 0, 0, 0, 0, 0, 0, {}, {}, {}});
  return found->second;
}

void LockAccounts::endLife(uint32_t live) {
  if (live >= firstOf_.size()) return;
  for (uint32_t known = std::exchange(firstOf_[live], 0), next; known; known = next) {
    next = known_[known].next;
    known_.remove(known);
  }
}

void LockAccounts::restart() {
  known_.clear();
  firstOf_.clear();
  for (Lock &lock : locks_)
    lock = {lock.kind, lock.label, lock.leaf, lock.variable, 0, 0, 0, 0, 0, 0, 0, 0, {}, {}, {}};
  data_.clear();
  rows_.clear();
  lately_.assign(LATELY, {});
}

/// The number of holds that were not released, by lock.
std::vector<uint64_t> LockAccounts::unreleased() const {
  std::vector<uint64_t> counts(locks_.size());
  for (const std::vector<Hold> &holds : held_)
    for (const Hold &hold : holds) counts[hold.lock]++;
  return counts;
}

} // namespace dprof
