// Stage: recorder. Numbers are given out under a lock: a piece of work is a thread's log since the last look at it.
#include "encoder_crew.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace dprof {
namespace {

constexpr unsigned most_by_itself = 16, most_wanted = 64;

} // namespace

unsigned most_encoders() {
  if (const char *wanted = getenv("DPROF_ENCODERS"))
    return (unsigned)std::clamp<long>(strtol(wanted, nullptr, 10), 1, most_wanted);
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof processors, &processors) != 0) return 1;
  const unsigned count = (unsigned)CPU_COUNT(&processors);
  return count > 2 ? std::min(count - 1, most_by_itself) : 1;
}

std::thread start_without_signals(std::function<void()> body) {
  struct AllBlocked {
    sigset_t before;
    AllBlocked() {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~AllBlocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  } blocked;
  return std::thread(std::move(body));
}

EncoderCrew::~EncoderCrew() {
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  there_.notify_all();
  for (std::thread &thread : threads_) thread.join();
}

void EncoderCrew::start_threads(size_t wanted) {
  try {
    while (threads_.size() < wanted) threads_.push_back(start_without_signals([this] { live(); }));
  } catch (const std::system_error &) { // no room for another one
    most_ = (unsigned)threads_.size() + 1;
  }
}

void EncoderCrew::take_all(std::unique_lock<std::mutex> &lock) {
  while (next_ < count_) {
    const size_t number = next_++;
    const auto &work = *work_;
    running_++;
    lock.unlock();
    work(number);
    lock.lock();
    running_--;
  }
}

void EncoderCrew::live() {
  std::unique_lock lock(mutex_);
  while (true) {
    there_.wait(lock, [this] { return over_ || next_ < count_; });
    if (over_) return;
    take_all(lock);
    done_.notify_all();
  }
}

void EncoderCrew::run(size_t count, const std::function<void(size_t)> &work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  next_ = 0;
  count_ = count;
  const size_t useful = std::clamp<size_t>(count, 1, most_);
  start_threads(useful - 1);
  for (size_t others = 1; others < useful; others++) there_.notify_one();
  take_all(lock);
  done_.wait(lock, [this] { return running_ == 0; });
}

} // namespace dprof
