// Stage: replay. Logical order: the thread with the smallest clock goes next, recorded synchronisation keeps its order.
// While a trace is still being written, the order stands still where it depends on data that has not come.
#pragma once

#include "order/order.h"
#include "order/sync_waits.h"

namespace dprof {

template <typename Issuer> class LogicalOrder : public Order {
public:
  LogicalOrder(Issuer &issuer, std::unique_ptr<SyncWaits> waits, std::vector<std::unique_ptr<ThreadRun>> &threads)
      : issuer_(issuer), waits_(std::move(waits)), threads_(threads), live_(issuer.isLive()) {
    for (uint32_t i = 0; i < threads.size(); i++) turns_.push({0, i});
  }

  void run() override {
    while (!issuer_.isFull()) {
      if (turns_.empty()) {
        if (!issuer_.isOpen()) return waits_->checkAllEnded();
        if (!learn()) return;
        continue;
      }
      if (taken_++ % 4096 == 0) issuer_.reportProgress(passed(threads_));
      uint32_t index = turns_.top().index;
      if (!live_) {
        ThreadRun &thread = *threads_[index];
        if (issuer_.issuePlain(thread, turns_.topEnd())) {
          turns_.delayTop(thread.clock);
          continue;
        }
        if (waits_->isFree(index)) {
          waits_->issue(
              index, issuer_, [&] { return turns_.top().when; }, [&] { turns_.delayTop(thread.clock); },
              [&](uint32_t waiter) { turns_.push({threads_[waiter]->clock, waiter}); });
          continue;
        }
      }
      turns_.pop();
      if (!takeTurn(index)) {
        turns_.push({threads_[index]->clock, index});
        if (!learn()) return;
      }
    }
  }

private:
  /// Takes steps of one thread for as long as it would be chosen again. False: what comes next depends on data that has
  /// not come yet.
  bool takeTurn(uint32_t index) {
    ThreadRun &thread = *threads_[index];
    if (!thread.hasBegun()) {
      if (!waits_->knowsFirst(index)) return false;
      if (waits_->hasToWait(index)) return true;
      if (live_ && furthest_ > Turn{0, index} && !thread.waited)
        return issuer_.giveUpOrphan(); // no thread created it, so it should have been the first
    }
    for (;;) {
      if (!thread.ready()) {
        if (thread.isOpen()) return waits_->hasToWaitUnseen(index);
        waits_->end(index);
        return true;
      }
      if (!waits_->isStamped(thread)) {
        if (live_ && waits_->waitsUnseen(index)) {
          if (passIdle(index)) continue;
          return issuer_.giveUpOrder();
        }
        note(index);
        issuer_.issue(thread);
      } else {
        if (live_ && !isKnown(thread)) return false;
        if (live_ && !waits_->keepsPromise(index)) {
          if (passIdle(index)) continue;
          return issuer_.giveUpOrder();
        }
        if (waits_->hasToWait(index)) return true;
        if (!waits_->raise(index)) issueStamped(index); // if raised, it competes again, and the segment is issued later
        break;
      }
      // Else it goes on as the first in the queue.
      if (!live_ || issuer_.isFull() || (!turns_.empty() && Turn{thread.clock, index} > turns_.top())) break;
    }
    turns_.push({thread.clock, index});
    return true;
  }

  void issueStamped(uint32_t index) {
    note(index);
    waits_->issue(
        index, issuer_, [&] { return turns_.empty() ? ~uint64_t{0} : turns_.top().when; },
        [&](uint32_t waiter) { turns_.push({threads_[waiter]->clock, waiter}); });
  }

  void note(uint32_t index) {
    if (live_)
      furthest_ = std::max(furthest_, Turn{threads_[index]->clock, index}, [](Turn a, Turn b) { return b > a; });
  }

  /// True if everything has come on which an acquire or a free of memory depends. For a release that creates a thread:
  /// that thread has come.
  bool isKnown(const ThreadRun &thread) {
    const Event &event = thread.event();
    if (event.code == DPROF_EVENT_RELEASE && event.detail == DPROF_SYNC_THREAD_CREATE)
      return !issuer_.isOpen() || waits_->hasCome(event.address);
    bool depends = isAcquire(event.code) || event.code == DPROF_EVENT_BLOCKED || event.code == DPROF_EVENT_FREE;
    return !depends || waits_->knows(event.stamp);
  }

  bool learn() {
    if (!issuer_.learn()) return false;
    for (uint32_t number : issuer_.takeArrived()) {
      waits_->add(number);
      turns_.push({0, number});
    }
    for (uint32_t number : issuer_.takeGrown()) {
      if (waits_->waitsUnseen(number)) passIdle(number);
      if (waits_->letGo(number)) turns_.push({threads_[number]->clock, number});
    }
    return true;
  }

  /// Takes the events that a thread may log before the step for which it sleeps: they take no time and wait for nobody.
  /// True: there were some.
  bool passIdle(uint32_t index) {
    ThreadRun &thread = *threads_[index];
    for (bool any = false;; any = true) {
      if (!thread.ready() || thread.record() != EVENT_STEP) return any;
      if (thread.event().code == DPROF_EVENT_TIME)
        issueStamped(index);
      else if (thread.event().code == DPROF_EVENT_LOST)
        issuer_.issue(thread);
      else
        return any;
    }
  }

  Issuer &issuer_;
  std::unique_ptr<SyncWaits> waits_;
  std::vector<std::unique_ptr<ThreadRun>> &threads_;
  Turns turns_;
  uint64_t taken_ = 0;
  const bool live_;
  Turn furthest_ = {0, 0}; // of the steps that were issued
};

} // namespace dprof
