// Stage: replay. Byte masks of foreign stores, and which store left which bytes.
#include "sharing.h"

#include <algorithm>

namespace dprof {

uint32_t Sharing::create() {
  SharedLine line;
  line.pending = std::make_unique<uint64_t[]>(size_t{consumers_ + 1} * wordsPerMask_);
  lines_.push_back(std::move(line));
  return static_cast<uint32_t>(lines_.size() - 1);
}

/// Word `index` of the mask of bytes [first, first + length).
uint64_t Sharing::word(uint32_t index, uint32_t first, uint32_t length) const {
  uint32_t from = std::max(first, index * 64), to = std::min(first + length, index * 64 + 64);
  if (from >= to) return 0;
  uint64_t ones = to - from == 64 ? ~uint64_t{0} : (uint64_t{1} << (to - from)) - 1;
  return ones << (from & 63);
}

void Sharing::handOut(SharedLine &line) {
  if (line.writer == NO_INDEX) return;
  uint64_t *stored = mask(line, consumers_);
  for (uint32_t i = 0; i < consumers_; i++) {
    if (i == line.writer || i == cores_ + line.writer / coresPerGroup_) continue;
    uint64_t *pending = mask(line, i);
    for (uint32_t k = 0; k < wordsPerMask_; k++) pending[k] |= stored[k];
  }
  std::fill_n(stored, wordsPerMask_, 0);
  line.writer = NO_INDEX;
}

uint32_t Sharing::classify(uint32_t index, uint32_t consumer, uint32_t first, uint32_t length) {
  SharedLine &line = lines_[index];
  handOut(line);
  const uint64_t *pending = mask(line, consumer);
  uint32_t result = HIT;
  for (uint32_t k = 0; k < wordsPerMask_; k++) {
    if (pending[k] & word(k, first, length)) return TRUE_SHARING;
    if (pending[k]) result = FALSE_SHARING;
  }
  return result;
}

uint32_t Sharing::lastStore(uint32_t index, uint32_t core, bool trueSharing, uint32_t first, uint32_t length) {
  SharedLine &line = lines_[index];
  handOut(line);
  const uint64_t *pending = mask(line, core);
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
  SharedLine &line = lines_[index];
  if (line.writer == core) return; // its own stores are not in its mask, and others' would have ended its turn
  handOut(line);
  std::fill_n(mask(line, core), wordsPerMask_, 0);
  std::fill_n(mask(line, cores_ + core / coresPerGroup_), wordsPerMask_, 0);
}

uint32_t Sharing::store(uint32_t index, uint32_t core, uint32_t first, const SharedStore &store) {
  SharedLine &line = lines_[index];
  if (line.writer == core && line.entries[line.lastEntry].store == store) return line.entries[line.lastEntry].number; // nothing moves
  if (line.writer != core) handOut(line);
  line.writer = core;
  uint64_t *stored = mask(line, consumers_);
  for (uint32_t k = 0; k < wordsPerMask_; k++) stored[k] |= word(k, first, store.size);
  size_t at = line.entries.size(), unused = at;
  for (size_t i = 0; i < line.entries.size(); i++) {
    if (line.entries[i].store == store) at = i;
    uint64_t left = 0;
    for (uint32_t k = 0; k < wordsPerMask_; k++) left |= line.entryMasks[i * wordsPerMask_ + k] &= ~word(k, first, store.size);
    if (!left) unused = i;
  }
  if (at == line.entries.size()) at = unused;
  if (at == line.entries.size()) {
    line.entries.push_back({store, stores_++, 0});
    line.entryMasks.resize(line.entryMasks.size() + wordsPerMask_);
  }
  Entry &entry = line.entries[at];
  entry.store = store;
  entry.sequence = ++line.sequence;
  line.lastEntry = static_cast<uint32_t>(at);
  for (uint32_t k = 0; k < wordsPerMask_; k++) line.entryMasks[at * wordsPerMask_ + k] |= word(k, first, store.size);
  return entry.number;
}

} // namespace dprof
