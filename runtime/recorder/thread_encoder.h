// Stage: recorder. One thread's raw words -> EVENTS chunks (docs/trace-format.md, "Events of one thread").
#pragma once

#include <stdint.h>

#include <memory>
#include <vector>

#include "bytes.h"
#include "dprof/abi.h"
#include "record_table.h"

namespace dprof {

struct EncoderCounts {
  uint64_t segments = 0;
  uint64_t lost_segments = 0;
};

enum class Encoded { all, unknown_record, damaged };

class ThreadEncoder {
public:
  explicit ThreadEncoder(const RecordTable &table);
  ~ThreadEncoder();

  // Encodes whole records from `words`, until its end or a zero header; `*used` says how far it came.
  Encoded encode(const uint64_t *words, uint64_t count, uint64_t *used);

  uint64_t pending_bytes() const { return control_.size() + words_.size() + events_.size(); }
  uint32_t pending_steps() const { return steps_; }
  // The payload of the next EVENTS chunk; prediction state goes on.
  std::vector<uint8_t> take_chunk();
  void count_lost(uint64_t segments);
  EncoderCounts counts;

private:
  // Four coded words of one record: one cache line.
  struct Block {
    uint64_t last[4], stride[4];
  };
  // What the loop needs to know of a record, together; filled when the thread first comes to it.
  struct RecordState {
    uint64_t header; // 0: not filled
    uint64_t link;
    uint32_t successor;
    uint32_t first_block;
    uint32_t coded_words;
    uint8_t stamp_event;
    bool is_segment;
  };
  void grow();
  uint8_t *code_long_step(const RecordState &state, uint32_t coded_words, uint64_t linked, const uint64_t *words, uint8_t *codes);
  void make_room(uint64_t words);
  void pack_differences();
  bool put_event(const uint64_t *words, uint64_t count);
  void put_run();
  void put_event_code(uint64_t code, uint64_t detail);
  void put_stamp(uint64_t stamp);
  void put_address(uint64_t code, uint64_t address);

  const RecordTable &table_;
  Block *blocks_ = nullptr;
  RecordState *record_states_ = nullptr;
  RecordState before_first_ = {}; // stands for the record before a thread's first
  size_t block_capacity_ = 0, record_capacity_ = 0; // in bytes
  uint32_t known_records_ = 0;

  uint32_t previous_ = no_record;
  uint64_t base_ = 0;
  uint64_t last_stamp_ = 0;

  Column control_, words_, events_;
  std::vector<uint64_t> differences_; // of explicit words, on their way into the words column
  uint64_t *next_difference_ = nullptr;
  uint64_t run_ = 0;
  uint32_t steps_ = 0, event_entries_ = 0;
  uint64_t chunk_stamp_ = 0;
  uint64_t chunk_address_[16] = {};
};

} // namespace dprof
