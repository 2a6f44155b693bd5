// Stage: replay. "Were fewer than N other lines referenced since?" for several N at once, for a core that stamps its
// references. Only a line's first reference in an epoch comes here.
//
// An epoch ends when it has seen as many lines as the smallest window has, or fewer. Its lines then move
// behind those of earlier epochs, in the order of their last references. So a line of the epoch at hand is in every
// window. A window of N lines keeps the position of its oldest member as its tail: an older line is among the N last
// distinct lines if and only if its position >= tail. Before the first line, entries of no line fill every window.
//
// A tail waits until somebody asks for a line that it may pass in this epoch, or the epoch ends. Then it passes as many
// lines as entered the window in the meantime: of all that were seen, those that lay before it. A bit for each entry
// says whether its line was not referenced again, so 64 entries are passed at once.
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
    largest_ = static_cast<unsigned>(most - sizes.begin());
    oldest_ = tails_[largest_];
    live(FIRST, static_cast<uint32_t>(*most));
    ordered_[MOST] = END;
  }

  [[gnu::always_inline]] bool holds(unsigned window, uint32_t position) {
    return position >= tails_[window] && (position == NOW || holdsNow(window, position));
  }
  bool isFull() const { return count_ == limit_; }

  /// The epoch, which is not full, sees the line for the first time.
  [[gnu::always_inline]] void see(Line &line, uint32_t id) {
    seen_[count_] = id;
    before_[count_++] = line.position;
    line.position = NOW;
  }

  /// `stampOf(line)`: of its last reference.
  template <typename StampOf> [[gnu::always_inline]] void end(Line *lines, uint32_t lineCount, StampOf stampOf) {
    forgetEntries();
    for (unsigned window = 0; window < WINDOWS; window++) pass(window);
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
    const uint32_t first = head_, mask = mask_;
    uint32_t head = first, *const entries = entries_.data();
    auto append = [&](uint64_t entry) {
      const uint32_t id = static_cast<uint32_t>(entry);
      entries[head & mask] = id;
      lines[id].position = head++;
    };
    for (const uint64_t *other = others_; *other != END; other++) {
      for (; *ordered < *other; ordered++) append(*ordered);
      append(*other);
    }
    for (; *ordered != END; ordered++) append(*ordered);
    head_ = head;
    live(first, count_);
    count_ = forgotten_ = 0;
    std::fill_n(passed_, WINDOWS, 0);
    oldest_ = tails_[largest_];
  }

private:
  static constexpr uint32_t FIRST = 2; // 1 is "long ago"
  static constexpr uint32_t BITS = 64; // of a word of `live_`
  static constexpr uint64_t END = ~uint64_t{0};

  [[gnu::noinline]] bool holdsNow(unsigned window, uint32_t position) {
    pass(window);
    return position >= tails_[window];
  }

  /// The window's tail passes a line for each one that has entered since.
  [[gnu::always_inline]] void pass(unsigned window) {
    const uint32_t tail = tails_[window], end = count_;
    uint32_t entered = 0;
    for (uint32_t i = passed_[window]; i < end; i++) entered += before_[i] < tail;
    passed_[window] = count_;
    if (entered == 0) return;
    forgetEntries();
    tails_[window] = behind(tail, entered);
  }

  /// What was seen has other entries at the epoch's end. Entries before all tails are not asked for again, and their
  /// places may have others.
  void forgetEntries() {
    const uint32_t oldest = oldest_, mask = mask_, end = count_;
    uint64_t *const live = live_.data();
    for (uint32_t i = forgotten_; i < end; i++)
      if (const uint32_t position = before_[i]; position >= oldest)
        live[(position & mask) / BITS] &= ~(uint64_t{1} << position % BITS);
    forgotten_ = end;
  }

  /// The place behind so many lines that were not referenced again, from the position on.
  uint32_t behind(uint32_t position, uint32_t lines) const {
    uint32_t word = position / BITS * BITS;
    uint64_t live = live_[(word & mask_) / BITS] & ~uint64_t{0} << position % BITS;
    for (uint32_t here; (here = static_cast<uint32_t>(std::popcount(live))) < lines; lines -= here) {
      word += BITS;
      live = live_[(word & mask_) / BITS];
    }
    while (--lines) live &= live - 1;
    return word + static_cast<uint32_t>(std::countr_zero(live)) + 1;
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
  uint32_t passed_[WINDOWS] = {}; // so many of the lines seen did the tail wait for
  uint32_t oldest_;               // tail of any window when the epoch began: some may wait behind that of the largest
  uint32_t forgotten_ = 0;        // of so many lines seen the entries are not live any more
  unsigned largest_;              // window
  HugeVector<uint32_t> entries_;  // a ring
  HugeVector<uint64_t> live_;     // a bit for each entry, from the oldest tail on
  uint32_t seen_[MOST], before_[MOST];            // in the order of their first references; their positions before
  uint64_t ordered_[MOST + 1], others_[MOST + 1]; // stamp and line; then END
};

} // namespace dprof
