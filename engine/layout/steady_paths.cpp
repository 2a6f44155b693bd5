// Stage: replay. Steady paths are found and made.
#include "layout/steady_paths.h"

#include <algorithm>

namespace dprof {

void SteadyPaths::passed(Entry &entry, const PlainPath &path, const uint64_t *words, uint64_t hash) {
  if (entry.hash == hash && entry.path == &path && std::equal(entry.words.begin(), entry.words.end(), words))
    return renew(entry);
  if (path.luck.patience-- == 0) {
    path.luck.patience = MOST_PATIENCE / 2;
    path.luck.pause = PAUSE;
  }
  if (entry.candidate != hash) {
    entry.candidate = hash;
    entry.sightings = 0;
  } else if (++entry.sightings >= SIGHTINGS && batch_ - entry.lastBatch >= LONG) {
    make(entry, path, words, hash);
  }
}

/// Its lines may lie elsewhere, or were not known.
void SteadyPaths::renew(Entry &entry) {
  entry.epoch = known_.epoch;
  for (Line &line : entry.lines) line.way = known_.wayOf(line.number);
}

void SteadyPaths::make(Entry &entry, const PlainPath &path, const uint64_t *words, uint64_t hash) {
  auto steady = std::make_shared<SteadyPath>();
  entry.path = nullptr;
  entry.lines.clear();
  for (const PlainRun &run : path.runs) {
    const uint64_t address = run.source.of(words);
    if (!KnownHits::isOdd(address, run.shape.reach)) {
      if (!add(entry, *steady, address, run.shape, run.bytes, run.before)) return;
      continue;
    }
    for (uint32_t at = run.first; at < uint32_t{run.first} + run.count; at++) {
      const PlainWord &word = path.words[at];
      if (!add(entry, *steady, word.source.of(words), word.shape, bytesOf(word.shape.reach),
               path.before.empty() ? 0 : path.before[at]))
        return;
    }
  }
  entry.path = &path;
  entry.hash = hash;
  entry.epoch = known_.epoch;
  entry.slot = firstSlot_ + static_cast<uint32_t>(&entry - entries_.data());
  entry.words.assign(words, words + path.codedWords);
  entry.sightings = 0;
  news_->push_back({entry.slot, std::move(steady)});
}

/// False if the reference is odd, or its line is not known.
bool SteadyPaths::add(Entry &entry, SteadyPath &steady, uint64_t address, SlotShape shape, uint64_t bytes,
                      uint32_t before) {
  const uint64_t number = address >> KnownHits::LINE_SHIFT;
  const uint32_t way = known_.wayOf(number);
  if (KnownHits::isOdd(address, shape.reach) || way == 0) return false;
  steady.references.push_back(
      {address, shape.slot, shape.size, shape.store, KnownHits::granule(known_.ways[way].granule, address)});
  steady.before.push_back(before);
  Line line{number, 0, 0, way};
  const auto known =
      std::find_if(entry.lines.begin(), entry.lines.end(), [&](const Line &other) { return other.number == number; });
  if (known != entry.lines.end()) {
    line = *known;
    entry.lines.erase(known);
  }
  line.tagBits |= tagBits(shape.store);
  line.used |= bytes << (address & KnownHits::LINE_MASK);
  entry.lines.push_back(line);
  return true;
}

} // namespace dprof
