// Stage: replay. Items pass through stages in order, on as many threads as are allowed.
//
// Contract: every stage sees every item once, in order, so no result depends on timing or on the number of threads.
// Each stage touches nothing but the item and its own state. If stages throw, the error is the one that a single thread
// would have met first.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace dprof {

constexpr size_t BATCHES = 12; // under way; all of them fit into a host's L2

template <typename Item> class Pipeline {
public:
  using Work = std::function<bool(Item &)>; // false, of the first stage only: there was no further item

  /// A first stage whose error comes with the item behind the one that met it: what lies before it is handed on, and
  /// may fail earlier.
  static Work holdErrors(Work next) {
    return [next = std::move(next), error = std::exception_ptr()](Item &item) mutable {
      if (error) std::rethrow_exception(error);
      try {
        return next(item);
      } catch (...) {
        error = std::current_exception();
        return true;
      }
    };
  }

  /// At most `depth` items are under way. `ahead`: does what the first stage would have to do later, beside it, for
  /// threads that no stage waits for; false: there is no more of it now.
  Pipeline(std::vector<Work> stages, size_t depth, std::function<bool()> ahead = {})
      : items_(depth), ahead_(std::move(ahead)) {
    for (Work &work : stages) stages_.push_back({std::move(work)});
  }

  /// Returns when the last item has left the last stage. The calling thread is one of `threads`; no more are busy at a
  /// time.
  void run(size_t threads) {
    std::vector<std::thread> others;
    others.reserve(std::min(threads, stages_.size()));
    try {
      while (others.size() + 1 < std::min(threads, stages_.size())) others.emplace_back([this] { work(); });
    } catch (const std::system_error &) { // NOLINT(bugprone-empty-catch)
      // No more threads can be created: the existing ones do the work.
    }
    work();
    for (std::thread &other : others) other.join();
    if (error_) std::rethrow_exception(error_);
  }

private:
  static constexpr size_t NONE = ~size_t{0};
  struct Stage {
    Work work;
    size_t done = 0; // items
    bool busy = false, closed = false;
  };

  /// Number of items that wait for the stage; for the first stage, number of free places in the ring.
  size_t waiting(size_t stage) const {
    const Stage &of = stages_[stage];
    if (of.busy || of.closed) return 0;
    return (stage ? stages_[stage - 1].done : stages_.back().done + items_.size()) - of.done;
  }

  /// Chooses the stage with the most items waiting. Its state then stays in the host processor's caches as long as
  /// possible.
  size_t choose() const {
    size_t best = NONE, most = 0;
    for (size_t stage = 0; stage < stages_.size(); stage++)
      if (size_t items = waiting(stage); items > most) {
        best = stage;
        most = items;
      }
    return best;
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (size_t stage = NONE;;) {
      if (stage == NONE || !waiting(stage)) stage = choose();
      if (stage == NONE) {
        if (worksAhead(lock)) continue;
        if (std::none_of(stages_.begin(), stages_.end(), [](const Stage &of) { return of.busy; }))
          break; // nothing can come any more
        idle_++;
        wake_.wait(lock);
        idle_--;
        continue;
      }
      Stage &of = stages_[stage];
      size_t item = of.done;
      std::exception_ptr error;
      bool more = false;
      of.busy = true;
      // A sleeper is woken once half a ring of items waits, not for every item. It may sleep until then because this
      // thread takes other stages too.
      if (idle_ && mostWaiting() * 2 >= items_.size()) wake_.notify_one();
      lock.unlock();
      try {
        more = of.work(items_[item % items_.size()]);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      of.busy = false;
      if (more)
        of.done++;
      else
        close(stage, item, error);
    }
    wake_.notify_all();
  }

  /// Whether there was something, or may be by now.
  bool worksAhead(std::unique_lock<std::mutex> &lock) {
    if (!ahead_ || stages_[0].closed) return false;
    lock.unlock();
    const bool did = ahead_();
    lock.lock();
    return did || choose() != NONE;
  }

  size_t mostWaiting() const {
    size_t most = 0;
    for (size_t stage = 0; stage < stages_.size(); stage++) most = std::max(most, waiting(stage));
    return most;
  }

  /// After a failure no stage gets an item behind the failed one; items before it may still fail and give an earlier
  /// error.
  void close(size_t stage, size_t item, const std::exception_ptr &error) {
    stages_[stage].closed = stages_[0].closed = true;
    if (!error || (error_ && item >= errorItem_)) return;
    error_ = error;
    errorItem_ = item;
  }

  std::vector<Item> items_; // a ring
  std::function<bool()> ahead_;
  std::vector<Stage> stages_;
  std::mutex mutex_;
  std::condition_variable wake_;
  size_t idle_ = 0, errorItem_ = 0;
  std::exception_ptr error_;
};

} // namespace dprof
