// Stage: shard -> counting. Reads what shard_writer.cpp writes, block by block.
#include "shards/shard_reader.h"

#include <cerrno>
#include <cstring>

#include "../runtime/recorder/checksum.h"

namespace dprof {

ShardReader::ShardReader(const std::string &path, const Machine &machine)
    : lineWords(machine.lineWords()), path_(path), machine_(machine), file_(std::fopen(path.c_str(), "rbe")) {
  if (!file_) throw FileError("cannot read " + path + ": " + std::strerror(errno));
  char magic[sizeof SHARD_MAGIC];
  uint32_t words[2];
  readBytes(magic, sizeof magic, "magic of a shard");
  if (std::memcmp(magic, SHARD_MAGIC, sizeof magic) != 0) refuse("magic of a shard", "DPROFSHD", 0);
  readBytes(words, sizeof words, "head of a shard");
  if (words[0] != SHARD_VERSION) refuse("version of a shard", std::to_string(SHARD_VERSION), words[0]);
  if (std::fseek(file_.get(), words[1], SEEK_CUR)) refuse("header of a shard", "its bytes", 0);
  fileOffset_ += words[1];
  openBlock();
  read();
}

void ShardReader::readBytes(void *into, size_t count, const char *what) {
  const size_t got = std::fread(into, 1, count, file_.get());
  fileOffset_ += got;
  if (got != count) refuse(what, std::to_string(count) + " bytes", got);
}

void ShardReader::openBlock() {
  uint32_t words[2];
  block_.clear();
  at_ = 0;
  readBytes(words, sizeof words, "head of a block");
  blockOffset_ = fileOffset_;
  isLast_ = words[0] & LAST_BLOCK;
  const uint32_t count = words[0] & ~LAST_BLOCK;
  if (count > MOST_BLOCK) refuse("bytes of a block", "at most " + std::to_string(MOST_BLOCK), count);
  for (size_t room = 1 << 16; block_.size() < count; room *= 2) { // no more than the file has
    const size_t before = block_.size(), next = std::min<size_t>(room, count - before);
    block_.resize(before + next);
    readBytes(block_.data() + before, next, "payload of a block");
  }
  const uint32_t expected = checksum(block_.data(), count);
  if (words[1] != expected) refuse("checksum of a block", std::to_string(expected), words[1]);
  if (isLast_ && std::fgetc(file_.get()) != EOF) refuse("end of the shard", "no byte behind it", 1);
}

uint64_t ShardReader::number() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at_ == block_.size()) refuse("number in a block", "its last byte", block_.size());
    const uint8_t byte = block_[at_++];
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  refuse("number in a block", "at most 64 bits", 65);
}

uint32_t ShardReader::below(const char *what, uint64_t bound) {
  const uint64_t value = number();
  if (value >= bound) refuse(what, "below " + std::to_string(bound), value);
  return static_cast<uint32_t>(value);
}

uint32_t ShardReader::index(const char *what) { return below(what, uint64_t{1} << 32) - 1; }

void ShardReader::readLine(LineBytes &into) {
  into.push_back(checkedAddress(number()));
  for (uint32_t word = 0; word < lineWords; word++) into.push_back(number());
}

/// A class that there is, or a hit; a miss of a level is one of those before it.
static bool areClasses(uint32_t bits) {
  bool missed = true;
  for (unsigned level = 0; level < 3; level++) {
    const uint32_t kind = outcome::missClass(bits, level);
    if ((kind > CAPACITY && kind != HIT) || (!missed && kind != HIT) || outcome::rule(bits, level) > RULE_CAPACITY)
      return false;
    missed = kind != HIT;
  }
  return outcome::server(bits) <= SERVED_MEMORY && outcome::latencyServer(bits) <= SERVED_MEMORY &&
         outcome::tlb(bits) == 0 && outcome::latencyTlb(bits) == 0;
}

void ShardReader::read() {
  while (at_ == block_.size() && !isLast_) openBlock();
  if (isLast_) {
    entry_.reference = ~uint64_t{0};
    end_.references = number();
    CacheTotals &totals = end_.totals;
    for (uint64_t *total : {&totals.invalidations, &totals.upgrades, &totals.writeBacks, &totals.misses[0],
                            &totals.misses[1], &totals.misses[2], &heldLines_})
      *total = number();
    return;
  }
  const uint64_t distance = number();
  if (distance >> 53) refuse("distance to the next reference", "below 2^53", distance);
  entry_.reference = reference_ += distance;
  const uint64_t word = number();
  entry_.bits = static_cast<uint32_t>(word >> FLAG_BITS);
  if (word >> (32 + FLAG_BITS) || !areClasses(entry_.bits))
    refuse("outcome of a reference", "one of a plain machine", word);
  entry_.piece = word & IS_PIECE ? below("piece of a reference", NO_INDEX) : NO_INDEX;
  entry_.hasAside = word & HAS_ASIDE;
  entry_.missed = entry_.stored = NO_INDEX;
  if (entry_.hasAside) {
    entry_.missed = index("store that came before");
    entry_.stored = index("store");
  }
  const uint32_t kind = outcome::missClass(entry_.bits, 0);
  if ((kind == TRUE_SHARING || kind == FALSE_SHARING) && entry_.missed == NO_INDEX)
    refuse("store before a sharing miss", "a number", 0);
  entry_.lines.clear();
  entry_.moves.clear();
  if (outcome::missClass(entry_.bits, 0) != HIT) readMiss();
  if (word & HAS_MOVES) readMoves();
}

void ShardReader::readMiss() {
  LineMiss &miss = entry_.miss = {};
  for (unsigned level = 0; level < 3 && outcome::missClass(entry_.bits, level) != HIT; level++) {
    miss.place[level] = below("place of a line", machine_.level[level].lines());
    miss.victim[level] = below("line that left", NO_INDEX);
  }
  if (!miss.victim[0]) return;
  if (lineWords > 1)
    readLine(entry_.lines);
  else
    miss.left = number();
}

void ShardReader::readMoves() {
  const uint32_t groups = (machine_.cores + machine_.coresPerLlc - 1) / machine_.coresPerLlc;
  for (uint64_t left = number(); left; left--) {
    Move &move = entry_.moves.emplace_back();
    const uint32_t kind = below("kind of a line's move", LineEvent::LEFT + 1);
    if (kind != LineEvent::INVALIDATED && kind != LineEvent::LEFT) refuse("kind of a line's move", "1 or 4", kind);
    const uint32_t level = below("level of a line's move", 3);
    move.event.kind = static_cast<LineEvent::Kind>(kind);
    move.event.level = static_cast<uint8_t>(level);
    move.event.unit = static_cast<uint16_t>(below("unit of a line's move", level == 2 ? groups : machine_.cores));
    move.event.place = below("place of a line's move", machine_.level[level].lines());
    move.event.line = below("line that moved", NO_INDEX);
    move.left = below("mark of a line's move", 2);
    if (move.left != (level == 0)) refuse("mark of a line's move", level == 0 ? "1" : "0", move.left);
    if (move.left) readLine(entry_.lines);
  }
}

bool ShardReader::nextHeld(Held &held) {
  if (heldLines_ == 0) {
    if (at_ != block_.size()) refuse("end of the shard", "no byte behind its lines", block_.size() - at_);
    return false;
  }
  heldLines_--;
  held.core = below("core of a line", machine_.cores);
  held.line = below("line in an L1", NO_INDEX);
  held.bytes.clear();
  readLine(held.bytes);
  return true;
}

void ShardReader::refuse(const char *what, const std::string &expected, uint64_t actual) const {
  throw TraceError(path_ + ": " + what, blockOffset_ + at_, expected, std::to_string(actual));
}

} // namespace dprof
