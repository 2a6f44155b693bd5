// Stage: replay. Cuts a line's bytes into pieces, by object, and splits these into runs, by leaf.
#include "counting/unused_bytes.h"

#include <bit>

#include "objects/leaves.h"

namespace dprof {

void UnusedBytes::restart() {
  rows.clear();
  numbers_.clear();
  lately_.assign(LATELY, {});
  pairs_.assign(PAIRS, {});
  forgetLayouts();
}

/// The pair's lines go to their rows; others take its place.
void UnusedBytes::pass(Pair &pair, uint64_t used, uint32_t layout) {
  if (pair.lines) add(pair);
  pair = {used, 0, layout};
}

void UnusedBytes::add(const Pair &pair) {
  const Layout layout = layouts_[pair.layout - firstLayout_];
  for (const Part *part = &parts_[layout.firstPart], *behind = part + layout.parts; part < behind; part++) {
    Row &into = rows[part->row];
    into.fetched += pair.lines * part->bytes;
    into.unused += pair.lines * (part->bytes - static_cast<uint32_t>(std::popcount(pair.used & part->mask)));
  }
}

/// A long line, or one of a page that was never touched.
void UnusedBytes::leftAlone(uint64_t address, uint32_t granule, const uint64_t *used) {
  cut(address, granule);
  split(address);
  for (const Run &run : runs_) {
    uint32_t touched = 0;
    for (uint32_t word = run.begin / 64; word <= (run.end - 1) / 64; word++) {
      uint64_t bits = used[word];
      if (word == run.begin / 64) bits &= ~uint64_t{0} << (run.begin & 63);
      if (word == (run.end - 1) / 64) bits &= ~uint64_t{0} >> (63 - ((run.end - 1) & 63));
      touched += static_cast<uint32_t>(std::popcount(bits));
    }
    Row &into = rows[run.row];
    into.fetched += run.end - run.begin;
    into.unused += run.end - run.begin - touched;
  }
}

// -- pieces

void UnusedBytes::cut(uint64_t address, uint32_t granule) {
  pieces_.clear();
  LiveObject *whole;
  if (granule && objects_.isOneLine(granule, address, lineBytes_, whole))
    pieces_.push_back({whole, 0, lineBytes_});
  else
    cutObjects(address, granule);
}

void UnusedBytes::cutObjects(uint64_t address, uint32_t granule) {
  LiveObject *object = nullptr;
  uint32_t begin = 0;
  uint32_t same = 0; // what the last granule said, if it is all of one object or of none; else MANY
  uint64_t end = 0;  // of `object`, from the line's address on
  auto next = [&](LiveObject *here, uint32_t at) {
    if (here == object) return;
    if (at > begin) pieces_.push_back({object, begin, at});
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
  pieces_.push_back({object, begin, lineBytes_});
}

// -- runs

void UnusedBytes::split(uint64_t address) {
  runs_.clear();
  for (const Piece &piece : pieces_) splitPiece(piece, address);
}

/// The row of all bytes of an object whose leaves are not known, or of none.
uint64_t UnusedBytes::keyOf(LiveObject *object) {
  if (!object || !input_.types.isStruct[object->declared])
    return uint64_t{labels_.ofByte(object)} << 32 | (object && object->kind != HEAP ? object->variable : NO_INDEX);
  return uint64_t{object->declared} << 32 | NO_INDEX;
}

void UnusedBytes::splitPiece(const Piece &piece, uint64_t address) {
  if (!isOfLeaves(piece.object)) return add(row(keyOf(piece.object)), piece.begin, piece.end);
  const LiveObject &object = *piece.object;
  if (uint32_t phase; hasPattern(piece, address, phase)) {
    const Pattern &pattern = patternOf(object.declared, phase, piece.end - piece.begin);
    for (const Run *run = &patternRuns_[pattern.firstRun], *behind = run + pattern.runs; run < behind; run++)
      add(run->row, piece.begin + run->begin, piece.begin + run->end);
    return;
  }
  for (uint32_t begin = piece.begin; begin < piece.end;) {
    uint32_t leaf = declaredLeaf(input_, object, address + begin), at = begin + 1;
    while (at < piece.end && declaredLeaf(input_, object, address + at) == leaf) at++;
    add(row(object.declared, leaf), begin, at);
    begin = at;
  }
}

/// Whether the piece's rows follow from its type and the place in it, `phase`.
bool UnusedBytes::hasPattern(const Piece &piece, uint64_t address, uint32_t &phase) const {
  const LiveObject &object = *piece.object;
  if (lineBytes_ > 64 || object.flags & OBJECT_HOLDS_MORE) return false;
  uint32_t type = object.declared, span = input_.types.leafSpan[type], bytes = piece.end - piece.begin;
  uint64_t offset = address + piece.begin - object.start - object.slotOffset; // huge: before the type's first byte
  if (offset > uint64_t{1} << 62 || offset + bytes > input_.types.flexibleFrom[type]) return false;
  phase = static_cast<uint32_t>(
      offset >> 32 ? offset % span : static_cast<uint32_t>(offset) % span); // the short division is far quicker
  return true;
}

const UnusedBytes::Pattern &UnusedBytes::patternOf(uint32_t type, uint32_t phase, uint32_t bytes) {
  Pattern &pattern = patterns_[(type * 0x9e3779b1u ^ phase * 0x85ebca6bu ^ bytes) % LATELY];
  if (pattern.type == type && pattern.phase == phase && pattern.bytes == bytes) [[likely]]
    return pattern;
  pattern = {type, phase, bytes, static_cast<uint32_t>(patternRuns_.size()), 0};
  for (uint32_t at = 0; at < bytes;) {
    uint32_t from = at, leaf = leafAt(input_, type, phase + at);
    while (at < bytes && leafAt(input_, type, phase + at) == leaf) at++;
    patternRuns_.push_back({row(type, leaf), from, at});
  }
  pattern.runs = static_cast<uint32_t>(patternRuns_.size()) - pattern.firstRun;
  return pattern;
}

uint32_t UnusedBytes::row(uint64_t key) {
  const uint32_t label = static_cast<uint32_t>(key >> 32), leaf = static_cast<uint32_t>(key);
  Known &lately = lately_[(label * 0x9e3779b1u ^ leaf) % LATELY];
  if (lately.key == key && lately.row != NO_INDEX) return lately.row;
  auto [known, isNew] = numbers_.try_emplace(key, static_cast<uint32_t>(rows.size()));
  if (isNew) rows.push_back({label, leaf, 0, 0});
  lately = {key, known->second};
  return known->second;
}

} // namespace dprof
