// Stage: replay. Splits a line's bytes into runs: by object, then by leaf of the object.
#include "counting/unused_bytes.h"

#include <bit>

#include "objects/leaves.h"

namespace dprof {

void UnusedBytes::left(uint64_t address, uint32_t granule, const uint64_t *used) {
  LiveObject *whole;
  if (granule && objects_.isOneLine(granule, address, lineBytes_, whole))
    count(whole, address, 0, lineBytes_, used);
  else
    leftInParts(address, granule, used);
}

void UnusedBytes::leftInParts(uint64_t address, uint32_t granule, const uint64_t *used) {
  LiveObject *object = nullptr;
  uint32_t begin = 0;
  uint32_t same = 0; // what the last granule said, if it is all of one object or of none; else MANY
  uint64_t end = 0;  // of `object`, from the line's address on
  auto next = [&](LiveObject *here, uint32_t at) {
    if (here == object) return;
    if (at > begin) count(object, address, begin, at, used);
    object = here;
    begin = at;
    end = here ? here->start + here->size - address : 0;
  };
  constexpr uint32_t GRANULE = 1u << PageMap::granuleShift;
  for (uint32_t at = 0; at < lineBytes_; at += GRANULE) {
    uint32_t live = objects_.inGranule(granule ? granule + at / GRANULE : 0, address + at);
    if (live == same && live != Objects::MANY && (live == 0 || at + GRANULE <= end)) continue;
    LiveObject *first = objects_.lookUpIn(live, address + at);
    bool isWhole =
        live != Objects::MANY && (live == 0 || (first && address + at - first->start + GRANULE <= first->size));
    same = isWhole ? live : Objects::MANY;
    if (isWhole)
      next(first, at);
    else
      for (uint32_t byte = at; byte < at + GRANULE; byte++) next(objects_.lookUpIn(live, address + byte), byte);
  }
  count(object, address, begin, lineBytes_, used);
}

/// Bytes [begin, end) of the line, all in the object, or in none.
void UnusedBytes::count(LiveObject *object, uint64_t address, uint32_t begin, uint32_t end, const uint64_t *used) {
  if (!object || !input_.types.isStruct[object->declared]) {
    countRun(labels_.ofByte(object), object && object->kind != HEAP ? object->variable : NO_INDEX, begin, end, used);
    return;
  }
  if (input_.types.leafSpan[object->declared] == 0 || input_.types.leafBase[object->declared] == NO_INDEX)
    return countRun(object->declared, NO_INDEX, begin, end, used);
  if (lineBytes_ <= 64 && !(object->flags & OBJECT_HOLDS_MORE) && countPattern(*object, address, begin, end, *used))
    return;
  while (begin < end) {
    uint32_t leaf = declaredLeaf(input_, *object, address + begin), at = begin + 1;
    while (at < end && declaredLeaf(input_, *object, address + at) == leaf) at++;
    countRun(object->declared, leaf, begin, at, used);
    begin = at;
  }
}

/// The same from a pattern; false where none can be.
bool UnusedBytes::countPattern(const LiveObject &object, uint64_t address, uint32_t begin, uint32_t end,
                               uint64_t used) {
  uint32_t type = object.declared, span = input_.types.leafSpan[type], bytes = end - begin;
  uint64_t offset = address + begin - object.start - object.slotOffset; // huge: before the type's first byte
  if (offset > uint64_t{1} << 62 || offset + bytes > input_.types.flexibleFrom[type]) return false;
  uint32_t phase = static_cast<uint32_t>(
      offset >> 32 ? offset % span : static_cast<uint32_t>(offset) % span); // the short division is far quicker
  Pattern &pattern = patterns_[(type * 0x9e3779b1u ^ phase * 0x85ebca6bu ^ bytes) % LATELY];
  if (pattern.type != type || pattern.phase != phase || pattern.bytes != bytes) [[unlikely]] {
    if (parts_.size() > MOST_PARTS) {
      parts_.clear();
      patterns_.assign(LATELY, {});
    }
    pattern = {type, phase, bytes, static_cast<uint32_t>(parts_.size()), 0};
    for (uint32_t at = 0; at < bytes;) {
      uint32_t from = at, leaf = leafAt(input_, type, phase + at);
      while (at < bytes && leafAt(input_, type, phase + at) == leaf) at++;
      parts_.push_back({~uint64_t{0} >> (64 - (at - from)) << from, row(type, leaf), at - from});
    }
    pattern.parts = static_cast<uint32_t>(parts_.size()) - pattern.firstPart;
  }
  used >>= begin;
  for (const Part *part = &parts_[pattern.firstPart], *behind = part + pattern.parts; part < behind; part++) {
    Row &into = rows[part->row];
    into.fetched += part->bytes;
    into.unused += part->bytes - static_cast<uint32_t>(std::popcount(used & part->mask));
  }
  return true;
}

void UnusedBytes::countRun(uint32_t label, uint32_t leaf, uint32_t begin, uint32_t end, const uint64_t *used) {
  uint32_t touched = 0;
  for (uint32_t word = begin / 64; word <= (end - 1) / 64; word++) {
    uint64_t bits = used[word];
    if (word == begin / 64) bits &= ~uint64_t{0} << (begin & 63);
    if (word == (end - 1) / 64) bits &= ~uint64_t{0} >> (63 - ((end - 1) & 63));
    touched += static_cast<uint32_t>(std::popcount(bits));
  }
  Row &into = rows[row(label, leaf)];
  into.fetched += end - begin;
  into.unused += end - begin - touched;
}

uint32_t UnusedBytes::row(uint32_t label, uint32_t leaf) {
  uint64_t key = uint64_t{label} << 32 | leaf;
  Known &lately = lately_[(label * 0x9e3779b1u ^ leaf) % LATELY];
  if (lately.key == key && lately.row != NO_INDEX) return lately.row;
  auto [known, isNew] = numbers_.try_emplace(key, static_cast<uint32_t>(rows.size()));
  if (isNew) rows.push_back({label, leaf, 0, 0});
  lately = {key, known->second};
  return known->second;
}

} // namespace dprof
