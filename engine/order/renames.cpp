// Stage: trace -> replay. Which places are taken, and what lives at an address.
#include "order/renames.h"

#include <algorithm>

namespace dprof {

std::optional<uint64_t> Renames::findPlace(uint64_t begin, uint64_t size) const {
  if (!arePlaces_ || size > LAST_END) return std::nullopt;
  for (uint64_t number = 0; number < MOST_PLACES; number++) {
    uint64_t place = FIRST_PLACE + number * STRIDE + begin % STRIDE;
    if (place + size > LAST_END) return std::nullopt;
    auto next = places_.lower_bound(place + size);
    if (next == places_.begin() || std::prev(next)->second <= place) return place;
  }
  return std::nullopt;
}

void Renames::rename(uint64_t begin, uint64_t size, uint64_t key, uint64_t place) {
  places_.emplace(place, place + size);
  add(key, begin, begin + size, place - begin);
}

void Renames::keep(uint64_t begin, uint64_t size, uint64_t key) {
  if (isEmpty() || size == 0 || begin + size < begin) return;
  auto next = ranges_.lower_bound(begin + size);
  if (next == ranges_.begin() || std::prev(next)->second.end <= begin) return;
  const Generation *around = generationAt(begin, key);
  if (!around || around->end < begin + size) add(key, begin, begin + size, 0);
}

void Renames::end(uint64_t address, uint64_t key) {
  const Generation *found = generationAt(address, key);
  if (!found || found->begin != address) return;
  const Generation ended = *found;
  for (auto at = ranges_.lower_bound(ended.begin); at != ranges_.end() && at->first < ended.end;) {
    auto &generations = at->second.generations;
    std::erase_if(generations, [&](const Generation &other) { return other.number == ended.number; });
    at = generations.empty() ? ranges_.erase(at) : std::next(at);
  }
  if (ended.shift) places_.erase(ended.begin + ended.shift);
  living_--;
  measure();
}

void Renames::place(Event &event, uint64_t key) const {
  bool isAddress = event.code == DPROF_EVENT_ALLOCATE || event.code == DPROF_EVENT_FREE ||
                   event.code == DPROF_EVENT_THREAD_START || event.code == DPROF_EVENT_THREAD_END ||
                   event.code == DPROF_EVENT_THREAD_LOCAL || isKernelRange(event) || isAtAddress(event);
  if (isAddress) event.address = place(event.address, key);
  if (event.code == DPROF_EVENT_ALLOCATE) event.pool = place(event.pool, key);
}

/// The generation lives in all of [begin, end), which is not empty.
void Renames::add(uint64_t key, uint64_t begin, uint64_t end, uint64_t shift) {
  const Generation generation{key, begin, end, shift, made_++};
  cut(begin);
  cut(end);
  for (uint64_t from = begin; from < end;) {
    auto range = ranges_.lower_bound(from);
    if (range == ranges_.end() || range->first > from)
      range = ranges_.emplace_hint(range, from, Range{range == ranges_.end() ? end : std::min(end, range->first), {}});
    auto &generations = range->second.generations;
    generations.insert(std::upper_bound(generations.begin(), generations.end(), key,
                                        [](uint64_t own, const Generation &other) { return own < other.key; }),
                       generation);
    from = range->second.end;
  }
  living_++;
  measure();
}

/// A range that reaches over the address becomes two.
void Renames::cut(uint64_t address) {
  auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return;
  auto range = std::prev(next);
  if (range->first == address || range->second.end <= address) return;
  ranges_.emplace_hint(next, address, range->second);
  range->second.end = address;
}

void Renames::measure() {
  low_ = ranges_.empty() ? 0 : ranges_.begin()->first;
  bytes_ = ranges_.empty() ? 0 : std::prev(ranges_.end())->second.end - low_;
}

} // namespace dprof
