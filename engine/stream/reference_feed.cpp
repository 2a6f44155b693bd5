// Stage: trace -> stream.
#include "stream/reference_feed.h"

namespace dprof {

ReferenceFeed::ReferenceFeed(const Input &input, const ReferenceColumns &columns,
                             const std::vector<PackedColumn> &packed)
    : packed_(packed), walk_([this, &input, columns] {
        std::exception_ptr error;
        try {
          ReferenceWalk(input, columns).run([this](ReferenceRows &rows) { put(rows); });
        } catch (const Closed &) {
          error = nullptr; // nobody waits for rows any more
        } catch (...) {
          error = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        error_ = error;
        isOver_ = true;
        changed_.notify_all();
      }) {}

std::optional<FedRows> ReferenceFeed::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !rows_.empty() || isOver_; });
  if (rows_.empty()) {
    if (error_) std::rethrow_exception(error_);
    return std::nullopt;
  }
  FedRows next = std::move(rows_.front());
  rows_.pop_front();
  changed_.notify_all();
  return next;
}

void ReferenceFeed::close() {
  {
    const std::lock_guard lock(mutex_);
    isClosed_ = true;
    changed_.notify_all();
  }
  if (walk_.joinable()) walk_.join();
}

void ReferenceFeed::put(ReferenceRows &rows) {
  FedRows fed;
  for (const PackedColumn &column : packed_) fed.packed.push_back(packRows(rows, column));
  fed.rows = std::move(rows);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return rows_.size() < MOST || isClosed_; });
  if (isClosed_) throw Closed();
  rows_.push_back(std::move(fed));
  rows = {};
  changed_.notify_all();
}

} // namespace dprof
