// Stage: replay. A line's bytes in runs: of one object, then of one leaf of it.
#include "unused_bytes.h"

#include <bit>

#include "leaves.h"

namespace dprof {

void UnusedBytes::left(uint64_t address, uint32_t granule, const uint64_t *used) {
  const uint32_t lineBytes = 1u << input_.machine.lineShift;
  LiveObject *object = nullptr;
  uint32_t begin = 0;
  auto next = [&](LiveObject *here, uint32_t at) {
    if (here == object) return;
    if (at > begin) count(object, address, begin, at, used);
    object = here;
    begin = at;
  };
  constexpr uint32_t GRANULE = 1u << PageMap::granuleShift;
  for (uint32_t at = 0; at < lineBytes; at += GRANULE) {
    uint32_t live = objects_.inGranule(granule ? granule + at / GRANULE : 0, address + at);
    LiveObject *first = objects_.lookUpIn(live, address + at);
    if (live != Objects::MANY && (live == 0 || (first && address + at - first->start + GRANULE <= first->size))) next(first, at);
    else
      for (uint32_t byte = at; byte < at + GRANULE; byte++) next(objects_.lookUpIn(live, address + byte), byte);
  }
  count(object, address, begin, lineBytes, used);
}

/// Bytes [begin, end) of the line, all in the object, or in none.
void UnusedBytes::count(LiveObject *object, uint64_t address, uint32_t begin, uint32_t end, const uint64_t *used) {
  uint32_t label = labels_.ofByte(object);
  if (!object || !input_.types.isStruct[object->declared]) {
    countRun(label, object && object->kind != HEAP ? object->variable : NO_INDEX, begin, end, used);
    return;
  }
  while (begin < end) {
    uint32_t leaf = declaredLeaf(input_, *object, address + begin), at = begin + 1;
    while (at < end && declaredLeaf(input_, *object, address + at) == leaf) at++;
    countRun(label, leaf, begin, at, used);
    begin = at;
  }
}

void UnusedBytes::countRun(uint32_t label, uint32_t leaf, uint32_t begin, uint32_t end, const uint64_t *used) {
  uint32_t touched = 0;
  for (uint32_t word = begin / 64; word <= (end - 1) / 64; word++) {
    uint64_t bits = used[word];
    if (word == begin / 64) bits &= ~uint64_t{0} << (begin & 63);
    if (word == (end - 1) / 64) bits &= ~uint64_t{0} >> (63 - ((end - 1) & 63));
    touched += static_cast<uint32_t>(std::popcount(bits));
  }
  Row &into = row(label, leaf);
  into.fetched += end - begin;
  into.unused += end - begin - touched;
}

UnusedBytes::Row &UnusedBytes::row(uint32_t label, uint32_t leaf) {
  if (last_ < rows.size() && rows[last_].label == label && rows[last_].leaf == leaf) return rows[last_];
  auto [known, isNew] = numbers_.try_emplace(uint64_t{label} << 32 | leaf, static_cast<uint32_t>(rows.size()));
  if (isNew) rows.push_back({label, leaf, 0, 0});
  last_ = known->second;
  return rows[last_];
}

} // namespace dprof
