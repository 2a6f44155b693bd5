// Stage: recorder. Units of registered modules -> numbers for records, and what the encoder needs to know about each.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "dprof/abi.h"
#include "dprof/trace_format.h"

namespace dprof {

constexpr uint32_t no_record = 0xffffffff;

struct RecordInfo {
  uint64_t header;    // the word in the stream: its address in the program
  uint32_t first_block; // of its coded words, in blocks of four over all records
  uint32_t coded_words;
  uint32_t words;
  uint8_t stamp_event; // RELEASE, ACQUIRE or BOTH if the last word is a stamp; else 0
  uint8_t tag;
  bool valid;
};

struct VariableName {
  uint32_t unit, variable;
};

class RecordTable {
public:
  // False: the bytes are not units that a plugin wrote; nothing of them is added.
  bool add_module(const uint8_t *units, size_t bytes, uint64_t address);
  // Which unit of the module added last begins where; for its globals.
  bool find_variable(uint64_t address, VariableName *name) const;

  const RecordInfo *records() const { return records_.data(); }
  uint32_t count() const { return (uint32_t)records_.size(); }
  uint32_t blocks() const { return blocks_; }
  uint32_t units() const { return unit_count_; }
  uint32_t find(uint64_t header) const {
    const Unit &last = last_ < units_.size() ? units_[last_] : none_;
    if (header - last.records_begin < last.records_bytes) return number_in(last, header);
    return search(header);
  }

private:
  struct Unit {
    uint64_t begin, end;
    uint64_t records_begin, records_bytes;
    uint64_t variables_begin;
    uint32_t variables_count;
    uint32_t first_record;
    uint32_t number;
  };
  uint32_t number_in(const Unit &unit, uint64_t header) const {
    uint64_t offset = header - unit.records_begin;
    if (offset % sizeof(dprof_record)) return no_record;
    uint32_t number = unit.first_record + (uint32_t)(offset / sizeof(dprof_record));
    return records_[number].valid ? number : no_record;
  }
  uint32_t search(uint64_t header) const;
  const Unit *unit_at(uint64_t address) const;
  bool add_unit(const uint8_t *bytes, const dprof_unit_header &header, uint64_t address);

  std::vector<RecordInfo> records_;
  std::vector<Unit> units_; // by address; where two modules were ever at one place, the newer
  Unit none_ = {};
  mutable size_t last_ = 0;
  uint32_t blocks_ = 0;
  uint32_t unit_count_ = 0;
};

} // namespace dprof
