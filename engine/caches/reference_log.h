// Stage: replay. One log of referenced lines answers "were fewer than N other lines referenced since?" for several N at
// once.
//
// `position[line]` is where the line was last appended; an entry is stale when its line has moved on. A horizon of N
// lines keeps the position of its oldest member as its tail: a line is among the N last distinct lines if and only if
// position >= tail. When a line enters, the tail passes stale entries and then one live one. So a fully associative LRU
// costs one append.
//
// The log has two parts, old and young, in this order. Every reference goes to the young part, which is small enough to
// stay in the host's caches; when it is full its live entries move behind the old ones, so the old part grows by
// distinct lines only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/huge_vector.h"

namespace dprof {

template <typename Line> class ReferenceLog { // Line has a uint32_t `position`, 0: never referenced
public:
  explicit ReferenceLog(const std::vector<uint64_t> &sizes) : young_(YOUNG + AHEAD) {
    uint64_t most = 0;
    for (uint64_t lines : sizes) {
      horizons_.push_back({lines, 0, FIRST});
      most = std::max(most, lines);
    }
    uint64_t capacity = 2 * YOUNG;
    while (capacity < most * 2 + YOUNG) capacity *= 2;
    old_.resize(capacity);
    mask_ = static_cast<uint32_t>(capacity - 1);
    findTails();
  }

  bool holds(unsigned horizon, uint32_t position) const { return position >= horizons_[horizon].tail; }

  void touch(Line *lines, uint32_t id, uint32_t lineCount) {
    uint32_t position = lines[id].position;
    if (position + 1 == head_) return;
    if (position < newestTail_) [[unlikely]]
      enter(lines, position);
    if (head_ == YOUNG_END) [[unlikely]]
      flush(lines, lineCount);
    young_[head_ - YOUNG_BEGIN] = id;
    lines[id].position = head_++;
  }

private:
  struct Horizon {
    uint64_t lines, count;
    uint32_t tail;
  };

  [[gnu::noinline]] void enter(const Line *lines, uint32_t position) {
    uint32_t newest = 0, oldest = oldHead_;
    for (Horizon &horizon : horizons_) {
      if (position < horizon.tail) {
        if (horizon.count < horizon.lines)
          horizon.count++;
        else
          horizon.tail = afterLive(lines, horizon.tail);
      }
      newest = std::max(newest, horizon.tail);
      oldest = std::min(oldest, horizon.tail);
    }
    newestTail_ = newest;
    oldestTail_ = oldest;
  }

  /// The place behind the first live entry from the tail on.
  uint32_t afterLive(const Line *lines, uint32_t tail) const {
    if (tail < YOUNG_BEGIN) {
      const uint32_t *const old = old_.data(), mask = mask_, end = oldHead_;
      for (; tail != end; tail++) {
        __builtin_prefetch(&lines[old[(tail + AHEAD) & mask]]);
        if (lines[old[tail & mask]].position == tail) return tail + 1;
      }
      tail = YOUNG_BEGIN;
    }
    const uint32_t *young = young_.data() + (tail - YOUNG_BEGIN);
    while (lines[*young].position != tail) {
      young++;
      tail++;
    }
    return tail + 1;
  }

  void findTails() {
    newestTail_ = 0;
    oldestTail_ = oldHead_;
    for (const Horizon &horizon : horizons_) {
      newestTail_ = std::max(newestTail_, horizon.tail);
      oldestTail_ = std::min(oldestTail_, horizon.tail);
    }
  }

  /// The young part's live entries become old, in order.
  [[gnu::noinline]] void flush(Line *lines, uint32_t lineCount) {
    if (oldHead_ > YOUNG_BEGIN - (1u << 28)) renumber(lines, lineCount);
    if (oldHead_ - oldestTail_ + YOUNG > mask_) compact(lines);
    std::vector<Horizon *> inYoung;
    for (Horizon &horizon : horizons_)
      if (horizon.tail >= YOUNG_BEGIN) inYoung.push_back(&horizon);
    std::sort(inYoung.begin(), inYoung.end(), [](const Horizon *a, const Horizon *b) { return a->tail < b->tail; });
    uint32_t from = YOUNG_BEGIN;
    for (Horizon *horizon : inYoung) {
      moveToOld(lines, from, horizon->tail);
      from = horizon->tail;
      horizon->tail = oldHead_;
    }
    moveToOld(lines, from, YOUNG_END);
    head_ = YOUNG_BEGIN;
    findTails();
  }

  /// Entries [from, end) of the young part.
  void moveToOld(Line *lines, uint32_t from, uint32_t end) {
    const uint32_t *young = young_.data() + (from - YOUNG_BEGIN);
    uint32_t *const old = old_.data(), mask = mask_;
    uint32_t head = oldHead_;
    for (; from < end; from++, young++) {
      __builtin_prefetch(&lines[young[AHEAD]]);
      Line &line = lines[*young];
      if (line.position != from) continue;
      old[head & mask] = *young;
      line.position = head++;
    }
    oldHead_ = head;
  }

  /// Old live entries move up against the end, in order; lines outside every horizon keep positions below all tails.
  [[gnu::noinline]] void compact(Line *lines) {
    uint32_t to = oldHead_;
    std::vector<uint32_t> tails;
    for (const Horizon &horizon : horizons_) tails.push_back(horizon.tail);
    for (uint32_t from = oldHead_; from-- > oldestTail_;) {
      uint32_t id = old_[from & mask_];
      if (lines[id].position == from) {
        old_[--to & mask_] = id;
        lines[id].position = to;
      }
      for (size_t i = 0; i < tails.size(); i++)
        if (tails[i] == from) horizons_[i].tail = to;
    }
    findTails();
  }

  /// Positions are 32 bits: long before they run out, old ones shift down by a multiple of the ring's size.
  [[gnu::noinline]] void renumber(Line *lines, uint32_t lineCount) {
    uint32_t by = (oldestTail_ - FIRST) & ~mask_;
    for (uint32_t id = 0; id < lineCount; id++) {
      uint32_t &position = lines[id].position;
      if (position && position < YOUNG_BEGIN) position = position >= oldestTail_ ? position - by : 1;
    }
    for (Horizon &horizon : horizons_)
      if (horizon.tail < YOUNG_BEGIN) horizon.tail -= by;
    oldHead_ -= by;
    findTails();
  }

  static constexpr uint32_t YOUNG = 4096, YOUNG_BEGIN = 0xffff0000, YOUNG_END = YOUNG_BEGIN + YOUNG;
  static constexpr uint32_t AHEAD = 16; // entries that are fetched before they are asked for
  static constexpr uint32_t FIRST = 2;  // 1 is "long ago"
  uint32_t head_ = YOUNG_BEGIN, newestTail_, oldestTail_;
  uint32_t oldHead_ = FIRST, mask_;
  std::vector<Horizon> horizons_;
  HugeVector<uint32_t> young_, old_;
};

} // namespace dprof
