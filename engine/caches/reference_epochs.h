// Stage: replay. "Were fewer than N other lines referenced since?" for several N at once, for a core that stamps its
// references. Only a line's first reference in an epoch comes here.
//
// An epoch ends when it has seen as many lines as the smallest window has, or fewer. Its lines then move
// behind those of earlier epochs, in the order of their last references. So a line of the epoch at hand is in every
// window. A window of N lines keeps the position of its oldest member as its tail: an older line is among the N last
// distinct lines if and only if its position >= tail. When a line enters, the tail passes entries of lines that were
// referenced again, and then one other: a bit for each entry says which. Before the first line, entries of no line fill
// every window.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/huge_vector.h"

namespace dprof {

constexpr unsigned WINDOWS = 3; // a level's each

template <typename Line> class ReferenceEpochs { // Line has a uint32_t `position`, 0: never referenced
public:
  static constexpr uint32_t NOW = ~0u;  // the position of a line that the epoch at hand has seen
  static constexpr uint32_t MOST = 512; // lines of an epoch

  /// `sizes`: lines of each window.
  explicit ReferenceEpochs(const std::array<uint64_t, WINDOWS> &sizes) {
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    limit_ = static_cast<uint32_t>(std::min<uint64_t>(*least, MOST));
    uint64_t capacity = 2 * MOST;
    while (capacity < *most * 2 + MOST) capacity *= 2;
    entries_.resize(capacity);
    live_.resize(capacity / BITS);
    mask_ = static_cast<uint32_t>(capacity - 1);
    head_ = FIRST + static_cast<uint32_t>(*most);
    for (unsigned window = 0; window < WINDOWS; window++) tails_[window] = head_ - static_cast<uint32_t>(sizes[window]);
    smallest_ = static_cast<unsigned>(least - sizes.begin());
    largest_ = static_cast<unsigned>(most - sizes.begin());
    live(FIRST, static_cast<uint32_t>(*most));
    ordered_[MOST] = END;
  }

  bool holds(unsigned window, uint32_t position) const { return position >= tails_[window]; }
  bool isFull() const { return count_ == limit_; }

  /// The epoch, which is not full, sees the line for the first time.
  [[gnu::always_inline]] void see(Line *lines, uint32_t id) {
    const uint32_t position = lines[id].position;
    lines[id].position = NOW;
    seen_[count_++] = id;
    // Entries before the oldest tail are not asked for again, and their places may have others.
    if (position >= tails_[largest_]) live_[(position & mask_) / BITS] &= ~(uint64_t{1} << position % BITS);
    if (position >= tails_[smallest_]) return;
    for (uint32_t &tail : tails_)
      if (position < tail) tail = afterLive(tail);
  }

  /// `stampOf(line)`: of its last reference.
  template <typename StampOf> void end(Line *lines, uint32_t lineCount, StampOf stampOf) {
    if (head_ > NOW - (1u << 28)) renumber(lines, lineCount);
    if (head_ - tails_[largest_] + MOST > mask_) compact(lines);
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
    const uint32_t first = head_;
    for (const uint64_t *other = others_; *other != END; other++) {
      for (; *ordered < *other; ordered++) append(lines, *ordered);
      append(lines, *other);
    }
    for (; *ordered != END; ordered++) append(lines, *ordered);
    live(first, count_);
    count_ = 0;
  }

private:
  static constexpr uint32_t FIRST = 2; // 1 is "long ago"
  static constexpr uint32_t BITS = 64; // of a word of `live_`
  static constexpr uint64_t END = ~uint64_t{0};

  void append(Line *lines, uint64_t entry) {
    const uint32_t id = static_cast<uint32_t>(entry);
    entries_[head_ & mask_] = id;
    lines[id].position = head_++;
  }

  /// So many entries from the position on are of lines that were not referenced again.
  void live(uint32_t from, uint32_t count) {
    while (count) {
      const uint32_t bits = std::min(count, BITS - from % BITS);
      live_[(from & mask_) / BITS] |= ~uint64_t{0} >> (BITS - bits) << from % BITS;
      from += bits;
      count -= bits;
    }
  }

  /// The place behind the first entry, from the tail on, whose line was not referenced again. There is one, because the
  /// epoch's lines do not fill the window.
  [[gnu::always_inline]] uint32_t afterLive(uint32_t tail) const {
    uint64_t live = live_[(tail & mask_) / BITS] >> tail % BITS;
    while (!live) [[unlikely]] {
      tail = (tail | (BITS - 1)) + 1;
      live = live_[(tail & mask_) / BITS];
    }
    return tail + static_cast<uint32_t>(std::countr_zero(live)) + 1;
  }

  /// Live entries move up against the end, in order; lines outside every window keep positions below all tails.
  [[gnu::noinline]] void compact(Line *lines) {
    const uint32_t oldest = tails_[largest_], begin = oldest / BITS * BITS;
    uint32_t to = head_, tails[WINDOWS];
    std::copy_n(tails_, WINDOWS, tails);
    for (uint32_t word = (head_ - 1) / BITS * BITS;; word -= BITS) {
      uint64_t live = live_[(word & mask_) / BITS];
      if (word == begin) live &= ~uint64_t{0} << oldest % BITS;
      if (head_ - word < BITS) live &= ~(~uint64_t{0} << (head_ - word));
      for (unsigned window = 0; window < WINDOWS; window++)
        if (tails[window] / BITS * BITS == word)
          tails_[window] = to - static_cast<uint32_t>(std::popcount(live >> tails[window] % BITS));
      while (live) {
        const uint32_t bit = BITS - 1 - static_cast<uint32_t>(std::countl_zero(live)),
                       id = entries_[(word + bit) & mask_];
        entries_[--to & mask_] = id;
        lines[id].position = to;
        live ^= uint64_t{1} << bit;
      }
      if (word == begin) break;
    }
    live(to, head_ - to);
  }

  /// Positions are 32 bits: long before they run out, old ones shift down by a multiple of the ring's size.
  [[gnu::noinline]] void renumber(Line *lines, uint32_t lineCount) {
    const uint32_t oldest = tails_[largest_], by = (oldest - FIRST) & ~mask_;
    for (uint32_t id = 0; id < lineCount; id++) {
      uint32_t &position = lines[id].position;
      if (position && position != NOW) position = position >= oldest ? position - by : 1;
    }
    for (uint32_t &tail : tails_) tail -= by;
    head_ -= by;
  }

  uint32_t head_, mask_, limit_, count_ = 0;
  uint32_t tails_[WINDOWS];
  unsigned smallest_, largest_;                   // windows
  HugeVector<uint32_t> entries_;                  // a ring
  HugeVector<uint64_t> live_;                     // a bit for each entry, from the oldest tail on
  uint32_t seen_[MOST];                           // by the epoch at hand, in the order of their first references
  uint64_t ordered_[MOST + 1], others_[MOST + 1]; // stamp and line; then END
};

} // namespace dprof
