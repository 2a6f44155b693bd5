// Stage: replay. Logical order: the thread with the smallest clock goes next, recorded synchronisation keeps its order.
#pragma once

#include "order.h"
#include "sync_waits.h"

namespace dprof {

template <typename Issuer> class LogicalOrder : public Order {
public:
  LogicalOrder(Issuer &issuer, std::unique_ptr<SyncWaits> waits, std::vector<std::unique_ptr<ThreadRun>> &threads)
      : issuer_(issuer), waits_(std::move(waits)), threads_(threads) {
    for (uint32_t i = 0; i < threads.size(); i++) turns_.push({0, i});
  }

  void run() override {
    while (!issuer_.isFull()) {
      if (turns_.empty()) return waits_->checkAllEnded();
      uint32_t index = turns_.top().index;
      turns_.pop();
      takeTurn(index);
      if (taken_++ % 4096 == 0) issuer_.reportProgress(bytesRead(threads_));
    }
  }

private:
  /// Steps of one thread for as long as it would be chosen again.
  void takeTurn(uint32_t index) {
    ThreadRun &thread = *threads_[index];
    if (!thread.hasBegun() && waits_->hasToWait(index)) return;
    for (;;) {
      if (!thread.ready()) return waits_->end(index);
      if (!waits_->isStamped(thread)) {
        issuer_.issue(thread);
      } else {
        if (waits_->hasToWait(index)) return;
        if (!waits_->raise(index)) // else it competes again, then the segment is issued
          waits_->issue(index, issuer_, [&] { return turns_.empty() ? ~uint64_t{0} : turns_.top().when; },
                       [&](uint32_t waiter) { turns_.push({threads_[waiter]->clock, waiter}); });
        break;
      }
      if (issuer_.isFull() || (!turns_.empty() && Turn{thread.clock, index} > turns_.top())) break;
    }
    turns_.push({thread.clock, index});
  }

  Issuer &issuer_;
  std::unique_ptr<SyncWaits> waits_;
  std::vector<std::unique_ptr<ThreadRun>> &threads_;
  Turns turns_;
  uint64_t taken_ = 0;
};

} // namespace dprof
