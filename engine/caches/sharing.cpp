// Stage: replay. Byte masks of foreign stores, and which store left which bytes.
#include "caches/sharing.h"

#include <algorithm>

namespace dprof {

uint32_t Sharing::create() {
  lines_.emplace_back();
  if (lines_.size() > room_) masks_.grow((room_ = std::max<size_t>(room_ * 2, 1024)) * maskWords_);
  return static_cast<uint32_t>(lines_.size() - 1);
}

/// Word `index` of the mask of bytes [first, first + length).
uint64_t Sharing::word(uint32_t index, uint32_t first, uint32_t length) const {
  uint32_t from = std::max(first, index * 64), to = std::min(first + length, index * 64 + 64);
  if (from >= to) return 0;
  uint64_t ones = to - from == 64 ? ~uint64_t{0} : (uint64_t{1} << (to - from)) - 1;
  return ones << (from & 63);
}

void Sharing::handOut(uint64_t *masks) {
  if (!masks[0]) return;
  const uint32_t writer = static_cast<uint32_t>(masks[0] - 1);
  uint64_t *stored = mask(masks, consumers_);
  if (wordsPerMask_ == 1) {
    uint64_t *const own = mask(masks, writer), *const group = mask(masks, cores_ + writer / coresPerGroup_);
    const uint64_t ownBefore = *own, groupBefore = *group, bytes = *stored;
    for (uint64_t *pending = mask(masks, 0); pending != stored; pending++) *pending |= bytes;
    *own = ownBefore;
    *group = groupBefore;
    *stored = masks[0] = 0;
    return;
  }
  for (uint32_t i = 0; i < consumers_; i++) {
    if (i == writer || i == cores_ + writer / coresPerGroup_) continue;
    uint64_t *pending = mask(masks, i);
    for (uint32_t k = 0; k < wordsPerMask_; k++) pending[k] |= stored[k];
  }
  std::fill_n(stored, wordsPerMask_, 0);
  masks[0] = 0;
}

uint32_t Sharing::classify(uint32_t index, uint32_t consumer, uint32_t first, uint32_t length) {
  uint64_t *const of = masks(index);
  handOut(of);
  const uint64_t *pending = mask(of, consumer);
  uint32_t result = HIT;
  for (uint32_t k = 0; k < wordsPerMask_; k++) {
    if (pending[k] & word(k, first, length)) return TRUE_SHARING;
    if (pending[k]) result = FALSE_SHARING;
  }
  return result;
}

uint32_t Sharing::lastStore(uint32_t index, uint32_t core, bool trueSharing, uint32_t first, uint32_t length) {
  const SharedLine &line = lines_[index];
  handOut(masks(index));
  const uint64_t *pending = mask(masks(index), core);
  const Entry *last = nullptr;
  for (size_t i = 0; i < line.entries.size(); i++) {
    bool candidate = false;
    for (uint32_t k = 0; k < wordsPerMask_; k++) {
      uint64_t bytes = trueSharing ? word(k, first, length) : ~uint64_t{0};
      candidate |= (line.entryMasks[i * wordsPerMask_ + k] & pending[k] & bytes) != 0;
    }
    if (candidate && (!last || line.entries[i].sequence > last->sequence)) last = &line.entries[i];
  }
  return last->number;
}

void Sharing::seen(uint32_t index, uint32_t core) {
  uint64_t *const of = masks(index);
  if (of[0] == core + 1) return; // its own stores are not in its mask, and others' would have ended its turn
  handOut(of);
  std::fill_n(mask(of, core), wordsPerMask_, 0);
  std::fill_n(mask(of, cores_ + core / coresPerGroup_), wordsPerMask_, 0);
}

uint32_t Sharing::store(uint32_t index, uint32_t core, uint32_t first, const SharedStore &store) {
  SharedLine &line = lines_[index];
  uint64_t *const of = masks(index);
  if (of[0] == core + 1 && line.entries[line.lastEntry].store == store)
    return line.entries[line.lastEntry].number; // nothing moves
  if (of[0] != core + 1) handOut(of);
  of[0] = core + 1;
  const size_t at = wordsPerMask_ == 1 ? placeOfWord(line, *mask(of, consumers_), first, store)
                                       : placeOf(line, mask(of, consumers_), first, store);
  Entry &entry = line.entries[at];
  entry.store = store;
  entry.sequence = ++line.sequence;
  line.lastEntry = static_cast<uint32_t>(at);
  return entry.number;
}

/// The place among the line's entries of a store with these bytes: its own, or that of one that matters no more, or a
/// new one. `stored` gets the bytes too.
size_t Sharing::placeOf(SharedLine &line, uint64_t *stored, uint32_t first, const SharedStore &store) {
  for (uint32_t k = 0; k < wordsPerMask_; k++) stored[k] |= word(k, first, store.size);
  size_t at = line.entries.size(), unused = at;
  for (size_t i = 0; i < line.entries.size(); i++) {
    if (line.entries[i].store == store) at = i;
    uint64_t left = 0;
    for (uint32_t k = 0; k < wordsPerMask_; k++)
      left |= line.entryMasks[i * wordsPerMask_ + k] &= ~word(k, first, store.size);
    if (!left) unused = i;
  }
  if (at == line.entries.size()) at = unused;
  if (at == line.entries.size()) addEntry(line);
  for (uint32_t k = 0; k < wordsPerMask_; k++) line.entryMasks[at * wordsPerMask_ + k] |= word(k, first, store.size);
  return at;
}

/// The same for lines of up to 64 bytes. An equal store has no other bytes than these.
size_t Sharing::placeOfWord(SharedLine &line, uint64_t &stored, uint32_t first, const SharedStore &store) {
  const uint64_t bytes = word(0, first, store.size);
  stored |= bytes;
  const size_t count = line.entries.size();
  size_t at = count, unused = count;
  uint64_t *const masks = line.entryMasks.data();
  for (size_t i = 0; i < count; i++)
    if ((masks[i] &= ~bytes) == 0) {
      unused = i;
      if (line.entries[i].store == store) at = i;
    }
  if (at == count) at = unused;
  if (at == count) addEntry(line);
  line.entryMasks[at] |= bytes;
  return at;
}

void Sharing::addEntry(SharedLine &line) {
  line.entries.push_back({{}, stores_++, 0});
  line.entryMasks.resize(line.entryMasks.size() + wordsPerMask_);
}

} // namespace dprof
