// Stage: recorder. Runtime events of one thread, and the stamps of its atomics -> the events column of an EVENTS chunk.
#pragma once

#include <stdint.h>

#include "bytes.h"
#include "dprof/abi.h"

namespace dprof {

class PathTable;

class EventWriter {
public:
  static constexpr uint64_t most_words = 3 + DPROF_MARK_TEXT_BYTES / 8;
  // How many words follow the header of an event; 0: this recorder knows no such event.
  static uint64_t words_of(uint64_t header);
  // `event`: a header that words_of knows, and its words. False: it is not worth an entry.
  bool put(const uint64_t *event, const PathTable &table);
  void put_time(uint64_t stamp, uint64_t cpu);
  // Stamps from here on are larger.
  void pass(uint64_t stamp) { last_stamp_ = stamp > last_stamp_ ? stamp : last_stamp_; }
  void put_atomic(unsigned code, uint64_t stamp, uint64_t address);

  void reserve(size_t entries) { column_.reserve(entries * longest_entry); }
  uint32_t entries() const { return entries_; }
  size_t bytes() const { return column_.size(); }
  uint64_t lost() const { return lost_; } // the sum of all LOST events
  // The next chunk begins, with the storage of `column`, which becomes this one's.
  void take(Column &column);

private:
  static constexpr size_t longest_entry = 1 + 4 * longest_varint;
  void put_code(uint64_t code, uint64_t detail);
  void put_stamp(uint64_t stamp);
  void put_text(uint64_t bytes, const uint64_t *words, const uint64_t *end);
  void put_address(uint64_t code, uint64_t address);

  Column column_;
  uint32_t entries_ = 0;
  uint64_t lost_ = 0;
  uint64_t last_stamp_ = 0;
  uint64_t chunk_stamp_ = 0;
  uint64_t chunk_address_[16] = {};
};

} // namespace dprof
