// Stage: trace -> replay. A decoder whose batches whoever has nothing else to do may make ahead of time. They are the
// same, in the same order, and so is the error that ends them.
#pragma once

#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "trace/decoder.h"

namespace dprof {

class DecodedAhead {
public:
  DecodedAhead(const TraceFile &file, const Plans &plans, const ThreadChunks &chunks, Decoder::Whole whole)
      : decoder_(file, plans, chunks, whole) {}

  /// The next batch, in exchange for one that is over. False at the end of the thread, or of what a live trace has of
  /// it so far: then there may be more later.
  bool next(Batch &batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return taken_ != made_ || !isBusy_; });
    if (taken_ == made_ && !error_) make(lock);
    if (taken_ == made_) {
      if (error_) std::rethrow_exception(error_);
      return false;
    }
    std::swap(batch, ring_[taken_++ % ring_.size()]);
    return true;
  }

  /// False if there is none to make, no room for it, or somebody who makes one.
  bool makeOne() {
    std::unique_lock lock(mutex_);
    if (isBusy_ || error_ || made_ - taken_ == ring_.size()) return false;
    return make(lock);
  }

private:
  bool make(std::unique_lock<std::mutex> &lock) {
    Batch &batch = ring_[made_ % ring_.size()];
    isBusy_ = true;
    lock.unlock();
    bool more = false;
    std::exception_ptr error;
    try {
      more = decoder_.next(batch);
    } catch (...) {
      error = std::current_exception();
    }
    batch.passed = decoder_.passed();
    const std::vector<const JoinedRun *> &joined = decoder_.joinedRuns().all();
    batch.joined.assign(joined.begin() + static_cast<ptrdiff_t>(joinedSaid_), joined.end());
    joinedSaid_ = joined.size();
    lock.lock();
    isBusy_ = false;
    if (more) made_++;
    error_ = error;
    changed_.notify_all();
    return more;
  }

  Decoder decoder_;
  std::array<Batch, 4> ring_; // a few: they pass through the host's caches
  size_t made_ = 0, taken_ = 0, joinedSaid_ = 0;
  bool isBusy_ = false;
  std::exception_ptr error_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

} // namespace dprof
