// Stage: replay. Random order: which thread goes next, and for how many instructions, is drawn from a seed; recorded
// synchronisation keeps its order.
#pragma once

#include "order/able_threads.h"
#include "order/draws.h"
#include "order/order.h"
#include "order/sync_waits.h"

namespace dprof {

template <typename Issuer> class RandomOrder : public Order {
public:
  RandomOrder(Issuer &issuer, std::unique_ptr<SyncWaits> waits, std::vector<std::unique_ptr<ThreadRun>> &threads,
              uint32_t seed)
      : issuer_(issuer), waits_(std::move(waits)), threads_(threads), draws_(seed),
        able_(static_cast<uint32_t>(threads.size())) {}

  void run() override {
    while (!issuer_.isFull()) {
      if (!able_.size()) return waits_->checkAllEnded();
      if (quantum_ <= 0) drawTurn();
      if (takeTurn()) continue;
      able_.remove(index_);
      quantum_ = 0;
    }
  }

private:
  void drawTurn() {
    index_ = able_.at(draws_.below(able_.size()));
    quantum_ = draws_.quantum();
    if (drawn_++ % 4096 == 0) issuer_.reportProgress(passed(threads_));
  }

  /// False: it has to wait, or has ended.
  bool takeTurn() {
    ThreadRun &thread = *threads_[index_];
    if (!thread.hasBegun() && waits_->hasToWait(index_)) return false;
    while (quantum_ > 0 && !issuer_.isFull()) {
      if (!thread.ready()) {
        waits_->end(index_);
        return false;
      }
      bool stamped = waits_->isStamped(thread);
      if (stamped && waits_->hasToWait(index_)) return false;
      if (stamped) waits_->raise(index_);
      uint64_t clock = thread.clock;
      if (stamped)
        issueStamped(index_);
      else
        issuer_.issue(thread);
      quantum_ -= static_cast<int64_t>(thread.clock - clock);
    }
    return true;
  }

  void issueStamped(uint32_t index) {
    auto least = [&] {
      uint64_t least = ~uint64_t{0};
      able_.each([&](uint32_t other) { least = std::min(least, threads_[other]->clock); });
      return least;
    };
    waits_->issue(index, issuer_, least, [&](uint32_t waiter) {
      if (!waits_->hasToWait(waiter)) able_.add(waiter);
    });
  }

  Issuer &issuer_;
  std::unique_ptr<SyncWaits> waits_;
  std::vector<std::unique_ptr<ThreadRun>> &threads_;
  Draws draws_;
  AbleThreads able_;
  uint32_t index_ = 0;
  int64_t quantum_ = 0; // left of its turn
  uint64_t drawn_ = 0;
};

} // namespace dprof
