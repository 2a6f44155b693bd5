// Stage: trace -> replay. Makes items of several lanes ahead of their use, on one thread of its own; each lane's come in order.
//
// Contract: what a lane makes depends on the lane alone, so items and their order do not depend on timing, nor on whether there is a thread.
// Lanes are opened when they are needed and gone at their end. All open ones together hold about as many items ahead; from `WIDE` lanes on
// one each, which `make` should then make smaller. A lane's exception is thrown where its item would have come.
#pragma once

#include <algorithm>
#include <array>
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
  /// False: the lane has ended. `lanes`: how many are open.
  using Make = std::function<bool(Item &, size_t lanes)>;
  class Lane;

  /// Without a thread items are made when they are asked for.
  explicit Ahead(bool onThread) {
    if (!onThread) return;
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error &) {} // no thread to be had
  }
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

  Lane *open(Make make) {
    std::lock_guard lock(mutex_);
    lanes_.push_back(std::make_unique<Lane>(std::move(make), lanes_.size()));
    return lanes_.back().get();
  }

  /// The lane's next item, valid until the next call for the lane; null at its end: then there is no such lane any more.
  const Item *next(Lane *lane) {
    std::unique_lock lock(mutex_);
    if (lane->taken) giveBack(*lane);
    if (!lane->made && !lane->ended) await(*lane, lock);
    if (lane->made) {
      lane->taken = true;
      return lane->items[lane->first].get();
    }
    std::exception_ptr error = lane->error;
    close(*lane);
    if (error) std::rethrow_exception(error);
    return nullptr;
  }

  class Lane {
  public:
    Lane(Make make, size_t place) : make(std::move(make)), place(place) {}

  private:
    friend class Ahead;
    Make make;
    size_t place; // in `lanes_`
    std::array<std::unique_ptr<Item>, 8> items; // a ring
    size_t first = 0, made = 0;
    bool taken = false, ended = false; // taken: the first is in use
    bool begun = false, busy = false;  // busy: an item is being made
    std::exception_ptr error;
  };

private:
  static constexpr size_t MOST = 8, ALL = 64, WIDE = ALL / 2, SPARE = 16;
  /// Items of a lane, the one in use included.
  size_t depth() const { return std::clamp<size_t>(ALL / lanes_.size(), 2, MOST); }
  bool isWide() const { return lanes_.size() >= WIDE; }

  void giveBack(Lane &lane) {
    if (spare_.size() < SPARE) spare_.push_back(std::move(lane.items[lane.first]));
    else lane.items[lane.first].reset();
    lane.first = (lane.first + 1) % MOST;
    lane.made--;
    lane.taken = false;
    // Both sides sleep over half a ring, not over each item; of many lanes, until there is room in several.
    if (idle_ && lane.made <= depth() / 2 && ++roomy_ * MOST >= lanes_.size()) room_.notify_one();
  }

  void close(Lane &lane) {
    size_t place = lane.place;
    lanes_.back()->place = place;
    std::swap(lanes_[place], lanes_.back());
    lanes_.pop_back();
  }

  /// The first item is made here: most of very many lanes have no other. So are those that a wide replay finds missing, for one item is
  /// not worth a change of threads.
  void await(Lane &lane, std::unique_lock<std::mutex> &lock) {
    if (!thread_.joinable() || !lane.begun || (isWide() && !lane.busy)) {
      makeOne(lane, lock);
      if (!lane.begun && !lane.ended && idle_) room_.notify_one();
      lane.begun = true;
      return;
    }
    wanted_ = &lane;
    if (idle_) room_.notify_one();
    made_.wait(lock, [&] { return hasEnough(lane); });
    wanted_ = nullptr;
  }
  bool hasEnough(const Lane &lane) const { return lane.ended || lane.made > depth() / 2; }

  void makeOne(Lane &lane, std::unique_lock<std::mutex> &lock) {
    std::unique_ptr<Item> item;
    if (!spare_.empty()) {
      item = std::move(spare_.back());
      spare_.pop_back();
    }
    size_t lanes = lanes_.size();
    bool more = false;
    lane.busy = true;
    lock.unlock();
    std::exception_ptr error;
    try {
      if (!item) item = std::make_unique<Item>();
      more = lane.make(*item, lanes);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    lane.busy = false;
    lane.error = error;
    lane.ended = !more;
    if (more) lane.items[(lane.first + lane.made++) % MOST] = std::move(item);
    else if (item && spare_.size() < SPARE) spare_.push_back(std::move(item));
  }

  /// The lane that is waited for, else the emptiest, of many just the next; null if none has room.
  Lane *choose() {
    Lane *emptiest = nullptr;
    auto hasRoom = [&](const Lane &lane) { return lane.begun && !lane.busy && !lane.ended && lane.made < depth(); };
    if (wanted_ && hasRoom(*wanted_)) return wanted_;
    for (size_t i = 0; i < lanes_.size(); i++) {
      if (++cursor_ >= lanes_.size()) cursor_ = 0;
      Lane &lane = *lanes_[cursor_];
      if (hasRoom(lane) && (!emptiest || lane.made < emptiest->made)) emptiest = &lane;
      if (emptiest && isWide()) break;
    }
    return emptiest;
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
      Lane *lane = choose();
      if (!lane) {
        idle_ = true;
        roomy_ = 0;
        room_.wait(lock);
        idle_ = false;
        continue;
      }
      makeOne(*lane, lock);
      if (lane == wanted_ && hasEnough(*lane)) made_.notify_one();
    }
  }

  std::vector<std::unique_ptr<Lane>> lanes_; // open ones
  std::vector<std::unique_ptr<Item>> spare_;
  std::mutex mutex_;
  std::condition_variable room_, made_;
  Lane *wanted_ = nullptr;
  size_t cursor_ = 0, roomy_ = 0;
  bool stop_ = false, idle_ = false;
  std::thread thread_;
};

} // namespace dprof
