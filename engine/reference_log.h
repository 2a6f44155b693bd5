// Stage: replay. One log of referenced lines answers "were fewer than N other lines referenced since?" for several N at once.
//
// `position[line]` is where the line was last appended; an entry is stale when its line has moved on. A window of N lines keeps
// the position of its oldest member as its tail: a line is among the N last distinct lines if and only if position >= tail.
// When a line enters, the tail passes stale entries and then one live one. So a fully associative LRU costs one append.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dprof {

template <typename Line> class ReferenceLog { // Line has a uint32_t `position`, 0: never referenced
public:
  struct Window {
    uint64_t lines, count;
    uint32_t tail;
  };

  explicit ReferenceLog(std::vector<uint64_t> sizes) {
    uint64_t most = 0;
    for (uint64_t lines : sizes) {
      windows_.push_back({lines, 0, head_});
      most = std::max(most, lines);
    }
    uint64_t capacity = 4096;
    while (capacity < most * 4) capacity *= 2;
    ring_.resize(capacity);
    mask_ = static_cast<uint32_t>(capacity - 1);
    newestTail_ = oldestTail_ = head_;
  }

  bool holds(unsigned window, uint32_t position) const { return position >= windows_[window].tail; }

  void touch(Line *lines, uint32_t id, uint32_t lineCount) {
    uint32_t position = lines[id].position;
    if (position + 1 == head_) return;
    if (position < newestTail_) enter(lines, position);
    if (head_ - oldestTail_ > mask_) compact(lines, lineCount);
    ring_[head_ & mask_] = id;
    lines[id].position = head_++;
  }

private:
  __attribute__((noinline)) void enter(Line *lines, uint32_t position) {
    newestTail_ = 0;
    oldestTail_ = head_;
    for (Window &window : windows_) {
      if (position < window.tail) {
        if (window.count == window.lines) {
          while (lines[ring_[window.tail & mask_]].position != window.tail) window.tail++;
          window.tail++;
        } else {
          window.count++;
        }
      }
      newestTail_ = std::max(newestTail_, window.tail);
      oldestTail_ = std::min(oldestTail_, window.tail);
    }
  }

  /// Live entries move up against the head, in order; lines outside every window keep positions below all tails.
  __attribute__((noinline)) void compact(Line *lines, uint32_t lineCount) {
    if (head_ > 0xf0000000) renumber(lines, lineCount);
    uint32_t to = head_;
    std::vector<uint32_t> tails(windows_.size(), head_);
    for (uint32_t from = head_; from-- > oldestTail_;) {
      uint32_t id = ring_[from & mask_];
      if (lines[id].position == from) {
        ring_[--to & mask_] = id;
        lines[id].position = to;
      }
      for (size_t i = 0; i < windows_.size(); i++)
        if (windows_[i].tail == from) tails[i] = to;
    }
    newestTail_ = 0;
    oldestTail_ = head_;
    for (size_t i = 0; i < windows_.size(); i++) {
      windows_[i].tail = tails[i];
      newestTail_ = std::max(newestTail_, tails[i]);
      oldestTail_ = std::min(oldestTail_, tails[i]);
    }
  }

  /// Positions are 32 bits: shift them down by a multiple of the ring's size long before they run out.
  void renumber(Line *lines, uint32_t lineCount) {
    uint32_t by = (oldestTail_ - FIRST) & ~mask_;
    for (uint32_t id = 0; id < lineCount; id++) {
      uint32_t &position = lines[id].position;
      if (position) position = position >= oldestTail_ ? position - by : 1;
    }
    for (Window &window : windows_) window.tail -= by;
    head_ -= by;
    newestTail_ -= by;
    oldestTail_ -= by;
  }

  static constexpr uint32_t FIRST = 2; // 1 is "long ago"
  uint32_t head_ = FIRST, mask_, newestTail_, oldestTail_;
  std::vector<Window> windows_;
  std::vector<uint32_t> ring_;
};

} // namespace dprof
