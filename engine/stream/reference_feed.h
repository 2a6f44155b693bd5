// Stage: trace -> stream. Rows of references from a walk on a thread of its own, a few batches ahead of whoever takes
// them.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "stream/packed_columns.h"
#include "stream/reference_walk.h"

namespace dprof {

/// Rows, and columns that were asked for packed.
struct FedRows {
  ReferenceRows rows;
  std::vector<PackedRows> packed;
};

class ReferenceFeed {
public:
  /// Both are borrowed.
  ReferenceFeed(const Input &input, const ReferenceColumns &columns, const std::vector<PackedColumn> &packed);
  ReferenceFeed(const ReferenceFeed &) = delete;
  ~ReferenceFeed() { close(); }
  /// Waits for the next rows; none: the run is over. The walk's error is thrown here.
  std::optional<FedRows> next();
  /// The walk ends where it is; waits for that.
  void close();

private:
  static constexpr size_t MOST = 4; // batches
  struct Closed {};
  void put(ReferenceRows &rows);

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::vector<PackedColumn> &packed_;
  std::deque<FedRows> rows_;
  bool isOver_ = false, isClosed_ = false;
  std::exception_ptr error_;
  std::thread walk_;
};

} // namespace dprof
