// Stage: replay. Finds live objects by address: the granule map of touched pages, and exact lookups behind it.
#include "objects/objects.h"

#include <algorithm>

namespace dprof {

// -- the granule map

template <typename Visit> void Objects::eachTouchedPage(uint64_t begin, uint64_t last, Visit visit) {
  uint64_t first = PageMap::pageOf(begin), end = PageMap::pageOf(last), inPage = PageMap::pageBytes - 1;
  auto of = [&](uint64_t page, uint32_t frame) {
    visit(frame, page == first ? begin & inPage : 0, page == end ? last & inPage : inPage);
  };
  if (end - first < pages_.pages.size()) {
    for (uint64_t page = first;; page++) {
      if (uint32_t frame = pages_.find(page)) of(page, frame);
      if (page == end) break;
    }
  } else {
    for (uint32_t frame = 1; frame < pages_.pages.size(); frame++)
      if (pages_.pages[frame] >= first && pages_.pages[frame] <= end) of(pages_.pages[frame], frame);
  }
}

/// Bits of granule `index` (in its page) that bytes [from, to] of the page cover.
static uint8_t coveredBits(uint64_t index, uint64_t from, uint64_t to) {
  uint64_t low = std::max(from, index * 8) & 7, high = std::min(to, index * 8 + 7) & 7;
  return static_cast<uint8_t>((0xff << low) & (0xff >> (7 - high)));
}

/// Bytes [from, to] of a page, of which `freed` has a bit each, become freed or not.
static void setFreed(uint8_t *freed, uint64_t from, uint64_t to, bool isFreed) {
  const uint64_t first = from / 8, last = to / 8;
  auto set = [&](uint64_t i) {
    const uint8_t bits = coveredBits(i, from, to);
    freed[i] = isFreed ? freed[i] | bits : freed[i] & static_cast<uint8_t>(~bits);
  };
  set(first);
  if (first == last) return;
  for (uint64_t i = first + 1; i < last; i++) freed[i] = isFreed ? 0xff : 0;
  set(last);
}

/// Turns the granules that bytes [from, to] of a page lie in from all `before` to `after`; false if they are not.
static bool replaceAll(uint32_t *granules, uint64_t from, uint64_t to, uint32_t before, uint32_t after) {
  uint32_t different = 0;
  for (uint64_t i = from / 8; i <= to / 8; i++) different |= granules[i] ^ before;
  if (different) return false;
  for (uint64_t i = from / 8; i <= to / 8; i++) granules[i] = after;
  return true;
}

/// `replaceAll` of the granules of an object that is small and lies in one page, where no byte is freed. False if it is
/// another object, or if they are not all `before`; then nothing is done.
inline bool Objects::replaceFew(const LiveObject &object, uint32_t before, uint32_t after) {
  constexpr uint64_t FEW_BYTES = 128;
  const uint64_t from = object.start & (PageMap::pageBytes - 1), to = from + object.size - 1;
  if (object.size > FEW_BYTES || to >= PageMap::pageBytes) return false;
  const uint32_t frame = pages_.findNear(PageMap::pageOf(object.start));
  if (!frame) return false;
  uint32_t *const granules = &granules_[frame * GRANULES];
  const uint8_t *const freed = &freed_[frame * GRANULES];
  uint32_t different = 0;
#pragma clang loop vectorize(disable) unroll(disable)
  for (uint64_t i = from / 8; i <= to / 8; i++) different |= (granules[i] ^ before) | freed[i];
  if (different) return false;
#pragma clang loop vectorize(disable) unroll(disable)
  for (uint64_t i = from / 8; i <= to / 8; i++) granules[i] = after;
  changeLines(frame, from, to);
  return true;
}

/// Notes which of two objects the other hides, if they have bytes in common: the one that `search` does not find.
void Objects::hideEither(uint32_t live, uint32_t other) {
  LiveObject &a = live_[live], &b = live_[other];
  if (lastOf(a.start, a.size) < b.start || lastOf(b.start, b.size) < a.start) return;
  auto rank = [](const LiveObject &of) {
    return of.part ? 4 : of.kind == STACK ? 3 : of.kind == THREAD_LOCAL ? 2 : of.kind == GLOBAL ? 1 : 0;
  };
  auto hide = [&](LiveObject &object) {
    object.hidden = true;
    releaseHits(object);
  };
  if (rank(a) <= rank(b)) hide(a);
  if (rank(b) <= rank(a)) hide(b);
}

/// The object has bytes [begin, last] of a granule, or of more, that had this entry before it.
void Objects::meet(uint32_t live, uint32_t entry, uint64_t begin, uint64_t last) {
  if (entry != MANY) return hideEither(live, entry);
  eachOverlapping(begin, last, [&](uint32_t other, uint64_t, uint64_t) {
    if (other != live) hideEither(live, other);
  });
}

void Objects::paint(uint32_t live) {
  if (replaceFew(live_[live], 0, live)) return;
  uint64_t begin = live_[live].start, last = lastOf(begin, live_[live].size), touched = 0;
  uint32_t met = live;
  eachTouchedPage(begin, last, [&](uint32_t frame, uint64_t from, uint64_t to) {
    touched++;
    changeLines(frame, from, to);
    uint32_t *granules = &granules_[frame * GRANULES];
    setFreed(&freed_[frame * GRANULES], from, to, false);
    if (replaceAll(granules, from, to, 0, live)) return;
    for (uint64_t i = from / 8; i <= to / 8; i++) {
      bool hides = live_[live].part && coveredBits(i, from, to) == 0xff; // what it was cut from
      if (granules[i] && granules[i] != met && met != MANY) meet(live, met = granules[i], begin, last);
      granules[i] = granules[i] && !hides ? MANY : live;
    }
  });
  if (!freedUntouched_.empty() && touched != PageMap::pageOf(last) - PageMap::pageOf(begin) + 1)
    freedUntouched_.remove(begin, last);
}

/// The object is of another type from now on.
void Objects::forgetNotes(const LiveObject &object) {
  eachTouchedPage(object.start, lastOf(object.start, object.size),
                  [&](uint32_t frame, uint64_t from, uint64_t to) { changeLines(frame, from, to); });
}

/// For writeShared: lines that an object covers start anew with its life.
void Objects::restartLines(uint32_t live) {
  uint64_t lineBytes = uint64_t{1} << pages_.lineShift;
  eachTouchedPage(live_[live].start, lastOf(live_[live].start, live_[live].size),
                  [&](uint32_t frame, uint64_t from, uint64_t to) {
                    for (uint64_t line = (from + lineBytes - 1) / lineBytes; (line + 1) * lineBytes <= to + 1; line++)
                      lines_->restart(frame << pages_.linesShift | static_cast<uint32_t>(line));
                  });
}

void Objects::erase(uint32_t live) {
  if (live_[live].kind != HEAP && replaceFew(live_[live], live, 0)) return;
  uint64_t begin = live_[live].start, last = lastOf(begin, live_[live].size), touched = 0;
  bool heap = live_[live].kind == HEAP;
  eachTouchedPage(begin, last, [&](uint32_t frame, uint64_t from, uint64_t to) {
    touched++;
    changeLines(frame, from, to);
    uint32_t *granules = &granules_[frame * GRANULES];
    setFreed(&freed_[frame * GRANULES], from, to, heap);
    if (!live_[live].part && replaceAll(granules, from, to, live, 0)) return;
    for (uint64_t i = from / 8; i <= to / 8; i++)
      granules[i] = granules[i] == live && !live_[live].part
                        ? 0
                        : exactGranule((pages_.pages[frame] << PageMap::pageShift) + i * 8);
  });
  if (touched == PageMap::pageOf(last) - PageMap::pageOf(begin) + 1) return;
  if (heap)
    freedUntouched_.add(begin, last);
  else if (!freedUntouched_.empty())
    freedUntouched_.remove(begin, last);
}

void Objects::reused(uint64_t begin, uint64_t last) {
  eachTouchedPage(begin, last, [&](uint32_t frame, uint64_t from, uint64_t to) {
    setFreed(&freed_[frame * GRANULES], from, to, false);
  });
  freedUntouched_.remove(begin, last);
}

void Objects::addFrame(uint32_t frame) {
  if (frame >= frameCapacity_) {
    frameCapacity_ = std::max(256u, frameCapacity_ * 2);
    granules_.grow(frameCapacity_ * GRANULES);
    freed_.grow(frameCapacity_ * GRANULES);
    lineNotes_.grow(lineCapacity());
    if (lines_) lines_->grow(frameCapacity_ << pages_.linesShift);
  }
  uint64_t begin = pages_.pages[frame] << PageMap::pageShift, last = begin + (PageMap::pageBytes - 1);
  uint32_t *granules = &granules_[frame * GRANULES];
  uint8_t *freed = &freed_[frame * GRANULES];
  eachOverlapping(begin, last, [&](uint32_t live, uint64_t from, uint64_t to) {
    uint32_t met = live;
    for (uint64_t i = (from - begin) / 8; i <= (to - begin) / 8; i++) {
      bool hides = live_[live].part && coveredBits(i, from - begin, to - begin) == 0xff;
      if (granules[i] && granules[i] != met && met != MANY) meet(live, met = granules[i], from, to);
      granules[i] = granules[i] && granules[i] != live && !hides ? MANY : live;
    }
  });
  freedUntouched_.each(begin, last, [&](uint64_t from, uint64_t to) {
    for (uint64_t i = (from - begin) / 8; i <= (to - begin) / 8; i++)
      freed[i] |= coveredBits(i, from - begin, to - begin);
  });
}

uint32_t Objects::exactGranule(uint64_t address) {
  uint32_t found = 0;
  eachOverlapping(address, address + 7, [&](uint32_t live, uint64_t from, uint64_t to) {
    bool hides = live_[live].part && to - from == 7;
    found = found && found != live && !hides ? MANY : live;
  });
  return found;
}

// -- exact lookups

template <typename Visit> void Objects::eachOverlapping(uint64_t begin, uint64_t last, Visit visit) {
  auto object = [&](uint32_t live) {
    uint64_t end = lastOf(live_[live].start, live_[live].size);
    if (live_[live].start <= last && end >= begin) visit(live, std::max(begin, live_[live].start), std::min(last, end));
  };
  for (const ThreadObjects &thread : threads_) {
    if (!thread.byAddress.empty()) eachOfThread(thread, begin, last, object);
    for (uint32_t live : thread.locals) object(live);
  }
  auto global = globals_.upper_bound(begin);
  if (global != globals_.begin()) --global;
  for (; global != globals_.end() && global->first <= last; ++global)
    if (global->second) object(global->second);
  for (AddressMap *index : {&heap_, &parts_}) { // parts last: they may hide the others
    if (const auto before = index->upTo(begin); before != index->end() && before.address() < begin)
      object(before.number());
    for (auto next = index->from(begin); next != index->end() && next.address() <= last; ++next) object(next.number());
  }
}

uint32_t Objects::search(uint64_t address) {
  if (uint32_t part = partAt(address)) return part;
  uint32_t stack = 0, local = 0;
  auto latest = [&](uint32_t &best, uint32_t live) {
    if (!best || live_[live].lifeSequence > live_[best].lifeSequence) best = live;
  };
  for (const ThreadObjects &thread : threads_) {
    if (!thread.byAddress.empty()) eachOfThread(thread, address, address, [&](uint32_t live) { latest(stack, live); });
    for (uint32_t live : thread.locals)
      if (address - live_[live].start < live_[live].size) latest(local, live);
  }
  if (stack || local) return stack ? stack : local;
  auto global = globals_.upper_bound(address);
  if (global != globals_.begin() && std::prev(global)->second) return std::prev(global)->second;
  return heapAt(address);
}

} // namespace dprof
