// Stage: replay. "Were fewer than N other lines referenced since?" for several N at once, for a core that stamps its
// references. Only a line's first reference in an epoch comes here.
//
// An epoch ends when it has seen as many lines as the smallest window has, or fewer. Its lines then move
// behind those of earlier epochs, in the order of their last references. So a line of the epoch at hand is in every
// window. A window of N lines keeps the position of its oldest member as its tail: an older line is among the N last
// distinct lines if and only if its position >= tail. When a line enters, the tail passes entries of lines that were
// referenced again, and then one other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/huge_vector.h"

namespace dprof {

template <typename Line> class ReferenceEpochs { // Line has a uint32_t `position`, 0: never referenced
public:
  static constexpr uint32_t NOW = ~0u;  // the position of a line that the epoch at hand has seen
  static constexpr uint32_t MOST = 512; // lines of an epoch

  /// `sizes`: lines of each window.
  explicit ReferenceEpochs(const std::vector<uint64_t> &sizes) {
    uint64_t most = 0, least = MOST;
    for (uint64_t lines : sizes) {
      windows_.push_back({lines, 0, FIRST});
      most = std::max(most, lines);
      least = std::min(least, lines);
    }
    limit_ = static_cast<uint32_t>(least);
    uint64_t capacity = 2 * MOST;
    while (capacity < most * 2 + MOST) capacity *= 2;
    entries_.resize(capacity);
    mask_ = static_cast<uint32_t>(capacity - 1);
    ordered_[MOST] = END;
    findTails();
  }

  bool holds(unsigned window, uint32_t position) const { return position >= windows_[window].tail; }
  bool isFull() const { return count_ == limit_; }

  /// The epoch, which is not full, sees the line for the first time.
  void see(Line *lines, uint32_t id) {
    if (uint32_t position = lines[id].position; position < newestTail_) enter(lines, position);
    lines[id].position = NOW;
    seen_[count_++] = id;
  }

  /// `stampOf(line)`: of its last reference.
  template <typename StampOf> void end(Line *lines, uint32_t lineCount, StampOf stampOf) {
    if (head_ > NOW - (1u << 28)) renumber(lines, lineCount);
    if (head_ - oldestTail_ + MOST > mask_) compact(lines);
    // Most lines were not referenced again after a later one came, so they are in order; the others are sorted.
    uint64_t *ordered = ordered_ + MOST, last = END;
    uint32_t others = 0;
    for (uint32_t i = count_; i-- > 0;) {
      const uint64_t entry = uint64_t{stampOf(lines[seen_[i]])} << 32 | seen_[i];
      if (entry < last)
        *--ordered = last = entry;
      else
        others_[others++] = entry;
    }
    std::sort(others_, others_ + others);
    others_[others] = END;
    for (const uint64_t *other = others_; *other != END; other++) {
      for (; *ordered < *other; ordered++) append(lines, *ordered);
      append(lines, *other);
    }
    for (; *ordered != END; ordered++) append(lines, *ordered);
    count_ = 0;
  }

private:
  static constexpr uint32_t AHEAD = 16; // entries that are fetched before they are asked for
  static constexpr uint32_t FIRST = 2;  // 1 is "long ago"
  static constexpr uint64_t END = ~uint64_t{0};
  struct Window {
    uint64_t lines, count;
    uint32_t tail;
  };

  void append(Line *lines, uint64_t entry) {
    const uint32_t id = static_cast<uint32_t>(entry);
    entries_[head_ & mask_] = id;
    lines[id].position = head_++;
  }

  [[gnu::noinline]] void enter(const Line *lines, uint32_t position) {
    uint32_t newest = 0, oldest = head_;
    for (Window &window : windows_) {
      if (position < window.tail) {
        if (window.count < window.lines)
          window.count++;
        else
          window.tail = afterLive(lines, window.tail);
      }
      newest = std::max(newest, window.tail);
      oldest = std::min(oldest, window.tail);
    }
    newestTail_ = newest;
    oldestTail_ = oldest;
  }

  /// The place behind the first entry, from the tail on, whose line was not referenced again. There is one, because the
  /// epoch's lines do not fill the window.
  uint32_t afterLive(const Line *lines, uint32_t tail) const {
    for (;; tail++) {
      __builtin_prefetch(&lines[entries_[(tail + AHEAD) & mask_]]);
      if (lines[entries_[tail & mask_]].position == tail) return tail + 1;
    }
  }

  void findTails() {
    newestTail_ = 0;
    oldestTail_ = head_;
    for (const Window &window : windows_) {
      newestTail_ = std::max(newestTail_, window.tail);
      oldestTail_ = std::min(oldestTail_, window.tail);
    }
  }

  /// Live entries move up against the end, in order; lines outside every window keep positions below all tails.
  [[gnu::noinline]] void compact(Line *lines) {
    uint32_t to = head_;
    std::vector<uint32_t> tails;
    for (const Window &window : windows_) tails.push_back(window.tail);
    for (uint32_t from = head_; from-- > oldestTail_;) {
      uint32_t id = entries_[from & mask_];
      if (lines[id].position == from) {
        entries_[--to & mask_] = id;
        lines[id].position = to;
      }
      for (size_t i = 0; i < tails.size(); i++)
        if (tails[i] == from) windows_[i].tail = to;
    }
    findTails();
  }

  /// Positions are 32 bits: long before they run out, old ones shift down by a multiple of the ring's size.
  [[gnu::noinline]] void renumber(Line *lines, uint32_t lineCount) {
    uint32_t by = (oldestTail_ - FIRST) & ~mask_;
    for (uint32_t id = 0; id < lineCount; id++) {
      uint32_t &position = lines[id].position;
      if (position && position != NOW) position = position >= oldestTail_ ? position - by : 1;
    }
    for (Window &window : windows_) window.tail -= by;
    head_ -= by;
    findTails();
  }

  uint32_t head_ = FIRST, mask_, newestTail_, oldestTail_, limit_, count_ = 0;
  std::vector<Window> windows_;
  HugeVector<uint32_t> entries_;                  // a ring
  uint32_t seen_[MOST];                           // by the epoch at hand, in the order of their first references
  uint64_t ordered_[MOST + 1], others_[MOST + 1]; // stamp and line; then END
};

} // namespace dprof
