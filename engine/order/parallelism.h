// Stage: trace -> replay. When threads run, and what they wait for: docs/replay/order.md, "Parallelism". The mirror of
// src/order/parallelism.ts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "batch/parallelism_table.h"
#include "trace/event.h"

namespace dprof {

class Parallelism {
public:
  ParallelismTable table; // so far

  /// A thread issues its first step, at its clock, or goes on.
  void run(uint64_t clock) { changes_[clock]++; }
  /// It has to wait, is raised from this clock, or is done.
  void stop(uint64_t clock) { changes_[clock]--; }
  void began() { table.isOfSeveralThreads = ++threads_ > 1; }
  /// Its clock is raised by the acquire. That of a THREAD_START begins there.
  void wait(const Event &event, uint64_t raised) {
    if (event.code == DPROF_EVENT_THREAD_START) return;
    uint32_t cause = event.code == DPROF_EVENT_ALLOCATE  ? ParallelismTable::ALLOCATION
                     : event.code == DPROF_EVENT_BLOCKED ? ParallelismTable::BLOCKED
                                                         : event.detail;
    table.waits[cause]++;
    table.waited[cause] += raised;
  }
  /// A window begins: only what comes counts.
  void restart(uint64_t time) {
    from_ = time;
    table.running.clear();
    table.waits = table.waited = {};
    table.renamedBlocks = table.renamedStacks = 0;
  }

  bool isLong() const { return changes_.size() > MOST_CHANGES; }
  /// No change comes below this time any more.
  void settle(uint64_t time) {
    for (auto at = changes_.begin(); at != changes_.end() && at->first < time; at = changes_.erase(at)) {
      pass(at->first, at->first);
      count_ += at->second;
    }
  }
  /// The replay ended at this time.
  void finish(uint64_t until) {
    for (auto [time, change] : changes_) {
      pass(time, until);
      count_ += change;
    }
    changes_.clear();
    pass(until, until);
  }

private:
  static constexpr size_t MOST_CHANGES = 1 << 14;

  void pass(uint64_t time, uint64_t until) {
    uint64_t begin = std::max(at_, from_), end = std::min(time, until);
    if (end > begin) {
      auto count = static_cast<size_t>(count_);
      if (table.running.size() <= count) table.running.resize(count + 1);
      table.running[count] += end - begin;
    }
    at_ = std::max(at_, time);
  }

  std::map<uint64_t, int64_t> changes_; // by time: how many threads more run from then on
  int64_t count_ = 0;                   // threads that run from `at_` on
  uint64_t at_ = 0, from_ = 0;
  uint64_t threads_ = 0; // that issued a step
};

} // namespace dprof
