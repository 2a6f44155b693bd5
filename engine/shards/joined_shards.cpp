// Stage: shards -> counting. Entries of all shards in the order of their references and pieces. Each shard numbers its
// stores by itself: here they are numbered as they come, as caches that had all lines would do it.
#include "shards/joined_shards.h"

#include <algorithm>

#include "base/page_map.h"

namespace dprof {

JoinedShards::JoinedShards(const std::vector<std::string> &paths, const Machine &machine)
    : linesShift_(PageMap::pageShift - machine.lineShift) {
  for (const std::string &path : paths) sources_.push_back(std::make_unique<Source>(path, machine));
  for (const auto &source : sources_) waiting_.push_back(source.get());
  std::make_heap(waiting_.begin(), waiting_.end(), isLater);
}

bool JoinedShards::isLater(const Source *a, const Source *b) {
  const ShardReader::Entry &one = a->reader.entry(), &other = b->reader.entry();
  return one.reference != other.reference ? one.reference > other.reference : one.piece > other.piece;
}

void JoinedShards::lookUp(ReferenceBatch &batch) {
  batch.forgetOutcomes();
  pages_ += static_cast<uint32_t>(batch.newPages.size());
  const uint64_t end = first_ + batch.count;
  const OddAccess *odd = batch.odd.data(), *const oddEnd = odd + batch.odd.size();
  uint32_t piece = 0; // of `odd`: the next
  const auto passOdd = [&](uint64_t until) {
    for (; odd < oddEnd && odd->reference < until; odd++, piece = 0)
      if (piece != odd->pieces) waiting_[0]->reader.refuse("pieces of an access", std::to_string(odd->pieces), piece);
  };
  while (waiting_[0]->reader.entry().reference < end) {
    Source &source = *waiting_[0];
    const ShardReader::Entry &entry = source.reader.entry();
    const auto reference = static_cast<uint32_t>(entry.reference - first_);
    passOdd(reference);
    const bool isOdd = odd < oddEnd && odd->reference == reference;
    if (isOdd ? entry.piece != piece++ || piece > odd->pieces : entry.piece != NO_INDEX)
      source.reader.refuse("piece of a reference", isOdd ? std::to_string(piece - 1) : "none", entry.piece);
    if (!isOdd && !batch.outcomes.empty() && batch.outcomes.back().reference == reference)
      source.reader.refuse("outcome of a reference", "one", 2);
    if ((entry.bits & outcome::STORE) != batch.references[reference].store)
      source.reader.refuse("kind of a reference", std::to_string(batch.references[reference].store), entry.bits);
    batch.outcomes.push_back({reference, entry.bits});
    add(batch, source);
    std::pop_heap(waiting_.begin(), waiting_.end(), isLater);
    source.reader.pass();
    std::push_heap(waiting_.begin(), waiting_.end(), isLater);
  }
  passOdd(batch.count);
  batch.outcomes.push_back({NO_INDEX, 0});
  batch.asides.push_back({NO_INDEX, NO_INDEX, NO_INDEX, 0});
  batch.lineMoves.push_back({NO_INDEX, NO_INDEX, {}});
  first_ = end;
}

/// Adds whatever the shard's next entry says beside its bits.
void JoinedShards::add(ReferenceBatch &batch, Source &source) {
  const ShardReader &reader = source.reader;
  const ShardReader::Entry &entry = reader.entry();
  const auto at = static_cast<uint32_t>(batch.outcomes.size() - 1);
  const uint32_t lineLength = 1 + reader.lineWords;
  const uint64_t *line = entry.lines.data();
  const auto nextLine = [&] {
    const auto place = static_cast<uint32_t>(batch.leftLines.size());
    batch.leftLines.insert(batch.leftLines.end(), line, line + lineLength);
    line += lineLength;
    return place;
  };
  if (entry.hasAside) {
    Aside aside{at, entry.missed, entry.stored, 0};
    if (aside.missed != NO_INDEX) {
      const auto known = source.stores.find(aside.missed);
      if (known == source.stores.end()) reader.refuse("store that came before", "one that came", aside.missed);
      aside.missed = known->second;
    }
    if (aside.stored != NO_INDEX) {
      const auto [known, isNew] = source.stores.try_emplace(aside.stored, stores_);
      stores_ += isNew;
      aside.stored = known->second;
    }
    batch.asides.push_back(aside);
  }
  if (outcome::missClass(entry.bits, 0) != HIT) {
    LineMiss miss = entry.miss;
    for (uint32_t victim : miss.victim) checkLine(source, victim);
    if (miss.victim[0] && reader.lineWords > 1) miss.left = nextLine();
    batch.misses.push_back(miss);
  }
  for (const ShardReader::Move &move : entry.moves) {
    checkLine(source, move.event.line);
    batch.lineMoves.push_back({at, move.left ? nextLine() : NO_INDEX, move.event});
  }
}

void JoinedShards::checkLine(const Source &source, uint32_t line) const {
  if (line >> linesShift_ >= pages_) source.reader.refuse("page of a line", "below " + std::to_string(pages_), line);
}

CacheTotals JoinedShards::totals() const {
  CacheTotals sum;
  for (const auto &source : sources_) {
    const CacheTotals &of = source->reader.end().totals;
    sum.invalidations += of.invalidations;
    sum.upgrades += of.upgrades;
    sum.writeBacks += of.writeBacks;
    for (unsigned level = 0; level < 3; level++) sum.misses[level] += of.misses[level];
  }
  return sum;
}

std::vector<ShardReader::Held> JoinedShards::heldLines() {
  std::vector<ShardReader::Held> all;
  for (const auto &source : sources_) {
    ShardReader &reader = source->reader;
    if (reader.entry().reference != ~uint64_t{0})
      reader.refuse("reference of an outcome", "below " + std::to_string(first_), reader.entry().reference);
    if (reader.end().references != first_)
      reader.refuse("references of the replay", std::to_string(first_), reader.end().references);
    for (ShardReader::Held held; reader.nextHeld(held); all.push_back(held)) checkLine(*source, held.line);
  }
  std::sort(all.begin(), all.end(), [](const ShardReader::Held &a, const ShardReader::Held &b) {
    return a.core != b.core ? a.core < b.core : a.line < b.line;
  });
  return all;
}

} // namespace dprof
