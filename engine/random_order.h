// Stage: replay. Random order: which thread goes next, and for how many instructions, is drawn from a seed; recorded synchronisation keeps its order.
#pragma once

#include "able_threads.h"
#include "draws.h"
#include "sync_waits.h"

namespace dprof {

template <typename Issuer> class RandomOrder {
public:
  RandomOrder(Issuer &issuer, SyncWaits &waits, std::vector<std::unique_ptr<ThreadRun>> &threads, uint32_t seed)
      : issuer_(issuer), waits_(waits), threads_(threads), draws_(seed), able_(static_cast<uint32_t>(threads.size())) {}

  void run() {
    for (uint64_t n = 0; able_.size(); n++) {
      uint32_t index = able_.at(draws_.below(able_.size()));
      if (!takeTurn(index, draws_.quantum())) able_.remove(index);
      if (n % 4096 == 0) issuer_.reportProgress(bytesRead(threads_));
    }
  }

private:
  /// False: it has to wait, or has ended.
  bool takeTurn(uint32_t index, int64_t quantum) {
    ThreadRun &thread = *threads_[index];
    if (!thread.hasBegun() && waits_.hasToWait(index)) return false;
    while (quantum > 0) {
      if (!thread.ready()) {
        waits_.end(index);
        return false;
      }
      bool stamped = waits_.isStamped(thread);
      if (stamped && waits_.hasToWait(index)) return false;
      if (stamped) waits_.raise(index);
      uint64_t clock = thread.clock;
      if (stamped) issueStamped(index);
      else issuer_.issue(thread);
      quantum -= static_cast<int64_t>(thread.clock - clock);
    }
    return true;
  }

  void issueStamped(uint32_t index) {
    auto least = [&] {
      uint64_t least = ~uint64_t{0};
      able_.each([&](uint32_t other) { least = std::min(least, threads_[other]->clock); });
      return least;
    };
    waits_.issue(index, issuer_, least, [&](uint32_t waiter) {
      if (!waits_.hasToWait(waiter)) able_.add(waiter);
    });
  }

  Issuer &issuer_;
  SyncWaits &waits_;
  std::vector<std::unique_ptr<ThreadRun>> &threads_;
  Draws draws_;
  AbleThreads able_;
};

} // namespace dprof
