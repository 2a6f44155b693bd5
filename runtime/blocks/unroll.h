// Stage: blocks. A block -> its copies one behind the other, and copies that log each address before its access.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "block.h"
#include "shared_window.h"

namespace dprof {

constexpr size_t naive_copies = 100; // BHive's
constexpr size_t fewest_copies = 4;

// Numbers of copies: two whose difference counts, and those that are there.
struct Factors {
  size_t more, fewer, all;
  // What became of the first copy that is left out; null: none is.
  const char *left_out_status = nullptr, *left_out_reason = nullptr;
};

Factors choose_factors(const Block &block);

class Unroller {
public:
  Unroller(const Block &block, SharedWindow &window) : block_(block), window_(window) {}

  // False: there is no room.
  bool write(const Factors &factors, bool is_counted);

  // Where the last `count` copies begin, for the harness. `kind`: of timing, each has an entry of its own.
  uint64_t put_entry(unsigned kind, size_t count);
  uint64_t logging_entry() const { return logging_entry_; }
  // Which of the copies that log has that instruction.
  size_t logging_copy_at(uint64_t address) const;
  size_t slots_of_copy() const;

private:
  struct Cursor;
  void put_copy(Cursor &cursor, bool is_logging);
  void put_logging(Cursor &cursor, const BlockInstruction &instruction, size_t end);
  void put_instruction(Cursor &cursor, size_t at, const BlockInstruction &instruction);
  uint64_t target_of(size_t end, int32_t displacement, uint64_t natural);

  const Block &block_;
  SharedWindow &window_;
  size_t all_ = 0;
  size_t slot_ = 0;
  uint64_t logging_entry_ = 0;
  size_t entries_ = 0;                   // where they are in the window
  std::vector<uint64_t> logging_copies_; // where each ends
  bool has_target_ = false;
  int64_t first_target_ = 0; // from the block's beginning
};

} // namespace dprof
