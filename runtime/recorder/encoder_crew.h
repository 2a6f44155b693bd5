// Stage: recorder. The threads that encode: the recorder's first one, and others beside it where there are processors
// for them. They start when there is work for two.
#pragma once

#include <stddef.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dprof {

// How many threads may encode, and as many pack: DPROF_ENCODERS if that is set, else one less than there are processors
// for this process. On one or two, the program needs what the first encoder leaves.
unsigned most_encoders();

// A thread for which no signal is: they are for the first thread, whose sleep they end. Throws std::system_error.
std::thread start_without_signals(std::function<void()> body);

class EncoderCrew {
public:
  explicit EncoderCrew(unsigned most) : most_(most) {}
  ~EncoderCrew();
  EncoderCrew(const EncoderCrew &) = delete;
  EncoderCrew &operator=(const EncoderCrew &) = delete;

  unsigned most() const { return most_; }
  // Calls `work` with each number below `count`, in this order but several at once; returns when all calls have.
  void run(size_t count, const std::function<void(size_t)> &work);

private:
  void start_threads(size_t wanted);
  void take_all(std::unique_lock<std::mutex> &lock);
  void live();

  unsigned most_;
  std::mutex mutex_;
  std::condition_variable there_, done_;
  const std::function<void(size_t)> *work_ = nullptr;
  size_t next_ = 0, count_ = 0, running_ = 0;
  bool over_ = false;
  std::vector<std::thread> threads_; // nothing has been forked by then but the program
};

} // namespace dprof
