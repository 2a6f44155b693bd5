// Stage: trace -> replay. Makes items of several lanes ahead of their use, on one thread of its own; each lane's come in order.
//
// Contract: what a lane makes depends on the lane alone, so items and their order do not depend on timing, nor on whether there is a thread.
// A lane holds `depth` items at most. A lane's exception is thrown where its item would have come.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace dprof {

template <typename Item> class Ahead {
public:
  using Make = std::function<bool(Item &)>; // false: the lane has ended

  /// Depth 1: no thread, items are made when they are asked for.
  explicit Ahead(size_t depth) : depth_(depth) {}
  Ahead(const Ahead &) = delete;
  Ahead &operator=(const Ahead &) = delete;
  ~Ahead() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    room_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  size_t addLane(Make make) {
    lanes_.push_back(std::make_unique<Lane>(std::move(make), depth_));
    return lanes_.size() - 1;
  }
  /// After the last lane was added.
  void start() {
    if (depth_ < 2) return;
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error &) {} // no thread to be had: as with depth 1
  }

  /// The lane's next item, valid until the next call for the lane; null at its end.
  const Item *next(size_t index) {
    Lane &lane = *lanes_[index];
    if (!thread_.joinable()) return lane.make(lane.items[0]) ? &lane.items[0] : nullptr;
    std::unique_lock lock(mutex_);
    if (lane.taken) {
      lane.first = (lane.first + 1) % depth_;
      lane.made--;
      lane.taken = false;
      if (idle_ && lane.made <= depth_ / 2) room_.notify_one();
    }
    if (!lane.made && !lane.ended) {
      wanted_ = index;
      if (idle_) room_.notify_one();
      made_.wait(lock, [&] { return lane.made > depth_ / 2 || lane.ended; });
      wanted_ = NONE;
    }
    if (lane.made) {
      lane.taken = true;
      return &lane.items[lane.first];
    }
    if (lane.error) std::rethrow_exception(lane.error);
    return nullptr;
  }

private:
  static constexpr size_t NONE = ~size_t{0};
  struct Lane {
    Lane(Make make, size_t depth) : make(std::move(make)), items(depth) {}
    Make make;
    std::vector<Item> items; // a ring
    size_t first = 0, made = 0;
    bool taken = false, ended = false; // taken: the first is in use
    std::exception_ptr error;
  };

  /// The lane that is waited for, else the emptiest; null if none has room. Both sides sleep over half a ring, not over each item.
  Lane *choose() {
    Lane *emptiest = nullptr;
    for (size_t i = 0; i < lanes_.size(); i++) {
      Lane *lane = lanes_[i].get();
      if (lane->ended || lane->made == depth_) continue;
      if (i == wanted_) return lane;
      if (!emptiest || lane->made < emptiest->made) emptiest = lane;
    }
    return emptiest;
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
      Lane *lane = choose();
      if (!lane) {
        idle_ = true;
        room_.wait(lock);
        idle_ = false;
        continue;
      }
      Item &item = lane->items[(lane->first + lane->made) % depth_];
      bool more = false;
      std::exception_ptr error;
      lock.unlock();
      try {
        more = lane->make(item);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (more) lane->made++;
      else lane->ended = true;
      lane->error = error;
      if (wanted_ != NONE && (lane->ended || lane->made > depth_ / 2)) made_.notify_one();
    }
  }

  const size_t depth_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::mutex mutex_;
  std::condition_variable room_, made_;
  size_t wanted_ = NONE;
  bool stop_ = false, idle_ = false;
  std::thread thread_;
};

} // namespace dprof
