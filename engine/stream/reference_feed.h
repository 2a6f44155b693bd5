// Stage: trace -> stream. Rows of references from a walk on a thread of its own, a few batches ahead of whoever takes
// them.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "stream/reference_walk.h"

namespace dprof {

class ReferenceFeed {
public:
  /// The input is borrowed.
  ReferenceFeed(const Input &input, const ReferenceColumns &columns);
  ReferenceFeed(const ReferenceFeed &) = delete;
  ~ReferenceFeed() { close(); }
  /// Waits for the next rows; none: the run is over. The walk's error is thrown here.
  std::optional<ReferenceRows> next();
  /// The walk ends where it is; waits for that.
  void close();

private:
  static constexpr size_t MOST = 4; // batches
  struct Closed {};
  void put(ReferenceRows &rows);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ReferenceRows> rows_;
  bool isOver_ = false, isClosed_ = false;
  std::exception_ptr error_;
  std::thread walk_;
};

} // namespace dprof
