// Stage: caches -> shard. An outcome: the distance to its reference, its piece if that has several, its bits, and
// whatever the caches noted beside them.
#include "shards/shard_writer.h"

#include <cerrno>
#include <cstring>

#include "../runtime/recorder/checksum.h"
#include "base/page_map.h"

namespace dprof {

constexpr size_t FULL_BLOCK = 1 << 20;

ShardWriter::ShardWriter(const std::string &path, const std::string &header, const Machine &machine, Shard shard)
    : path_(path), lines_(machine, shard), granulesShift_(machine.lineShift - PageMap::granuleShift),
      linesShift_(PageMap::pageShift - machine.lineShift), lineWords_(machine.lineWords()),
      file_(std::fopen(path.c_str(), "wbe")) {
  if (!file_) throw DiskError("cannot write " + path + ": " + std::strerror(errno));
  const uint32_t words[2] = {SHARD_VERSION, static_cast<uint32_t>(header.size())};
  write(SHARD_MAGIC, sizeof SHARD_MAGIC);
  write(words, sizeof words);
  write(header.data(), header.size());
}

void ShardWriter::add(const ReferenceBatch &batch) {
  pages_.insert(pages_.end(), batch.newPages.begin(), batch.newPages.end());
  Place place{batch.outcomes.data(), batch.misses.data(), batch.lineMoves.data(), batch.asides.data()};
  const OddAccess *odd = batch.odd.data(), *const oddEnd = odd + batch.odd.size();
  while (place.outcome->reference != NO_INDEX) {
    const uint32_t reference = place.outcome->reference;
    while (odd < oddEnd && odd->reference < reference) odd++;
    if (odd == oddEnd || odd->reference != reference) {
      addOutcome(batch, place, NO_INDEX);
      continue;
    }
    for (uint32_t piece = 0; piece < odd->pieces; piece++) {
      if (isOwn(batch.pieces[odd->firstPiece + piece])) addOutcome(batch, place, piece);
    }
  }
  first_ += batch.count;
  if (bytes_.size() >= FULL_BLOCK) flush(0);
}

bool ShardWriter::isOwn(uint32_t granule) const {
  const uint32_t line = granule >> granulesShift_;
  return lines_.has(pages_[line >> linesShift_] << linesShift_ | (line & ((1u << linesShift_) - 1)));
}

/// `piece`: NO_INDEX for all of the reference.
void ShardWriter::addOutcome(const ReferenceBatch &batch, Place &place, uint32_t piece) {
  const auto at = static_cast<uint32_t>(place.outcome - batch.outcomes.data());
  const uint32_t bits = place.outcome->bits;
  const uint64_t reference = first_ + place.outcome->reference;
  const bool hasAside = place.aside->outcome == at, hasMoves = place.move->outcome == at;
  putNumber(bytes_, reference - last_);
  last_ = reference;
  const uint32_t flags = (hasAside ? HAS_ASIDE : 0) | (hasMoves ? HAS_MOVES : 0) | (piece != NO_INDEX ? IS_PIECE : 0);
  putNumber(bytes_, uint64_t{bits} << FLAG_BITS | flags);
  if (piece != NO_INDEX) putNumber(bytes_, piece);
  if (hasAside) {
    putIndex(bytes_, place.aside->missed);
    putIndex(bytes_, place.aside->stored);
    place.aside++;
  }
  if (outcome::missClass(bits, 0) != HIT) putMiss(batch, *place.miss++, bits);
  if (hasMoves) {
    const LineMove *const begin = place.move;
    while (place.move->outcome == at) place.move++;
    putNumber(bytes_, static_cast<uint64_t>(place.move - begin));
    for (const LineMove *move = begin; move != place.move; move++) {
      bytes_.push_back(move->event.kind);
      bytes_.push_back(move->event.level);
      putNumber(bytes_, move->event.unit);
      putNumber(bytes_, move->event.place);
      putNumber(bytes_, move->event.line);
      bytes_.push_back(move->left != NO_INDEX);
      if (move->left != NO_INDEX) putLine(batch.leftLines[move->left], &batch.leftLines[move->left + 1]);
    }
  }
  place.outcome++;
}

void ShardWriter::putMiss(const ReferenceBatch &batch, const LineMiss &miss, uint32_t bits) {
  for (unsigned level = 0; level < 3 && outcome::missClass(bits, level) != HIT; level++) {
    putNumber(bytes_, miss.place[level]);
    putNumber(bytes_, miss.victim[level]);
  }
  if (!miss.victim[0]) return;
  if (lineWords_ > 1)
    putLine(batch.leftLines[miss.left], &batch.leftLines[miss.left + 1]);
  else
    putNumber(bytes_, miss.left);
}

void ShardWriter::putLine(uint64_t address, const uint64_t *used) {
  putNumber(bytes_, address);
  for (uint32_t word = 0; word < lineWords_; word++) putNumber(bytes_, used[word]);
}

void ShardWriter::hold(uint32_t core, uint32_t line, uint64_t address, const uint64_t *used) {
  bytes_.swap(held_);
  putNumber(bytes_, core);
  putNumber(bytes_, line);
  putLine(address, used);
  bytes_.swap(held_);
  heldLines_++;
}

void ShardWriter::finish(const CacheTotals &totals) {
  if (!bytes_.empty()) flush(0);
  for (uint64_t number : {first_, totals.invalidations, totals.upgrades, totals.writeBacks, totals.misses[0],
                          totals.misses[1], totals.misses[2], heldLines_})
    putNumber(bytes_, number);
  bytes_.insert(bytes_.end(), held_.begin(), held_.end());
  flush(LAST_BLOCK);
  if (std::fflush(file_.get())) throw DiskError("cannot write " + path_ + ": " + std::strerror(errno));
}

void ShardWriter::flush(uint32_t last) {
  if (bytes_.size() > MOST_BLOCK) throw InputError("a shard of a machine with so large an L1 cannot be written");
  const auto count = static_cast<uint32_t>(bytes_.size());
  const uint32_t words[2] = {count | last, checksum(bytes_.data(), count)};
  write(words, sizeof words);
  write(bytes_.data(), count);
  bytes_.clear();
}

void ShardWriter::write(const void *bytes, size_t count) {
  if (std::fwrite(bytes, 1, count, file_.get()) != count)
    throw DiskError("cannot write " + path_ + ": " + std::strerror(errno));
}

} // namespace dprof
