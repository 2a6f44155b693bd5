// Stage: taker, sampler. The instructions behind a call -> where its result goes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

namespace dprof {

struct ResultPlace {
  enum Kind { in_register, on_frame, in_memory } kind;
  uint64_t from;     // the address from which on it is there
  int place;         // DWARF's number of the register, or of the one that the frame's place counts from
  int64_t offset;    // on_frame
  uint64_t address;  // in_memory
};

// The result register itself, and what it is moved or stored to before anything else is done. `code` is at `address`.
std::vector<ResultPlace> places_of_result(uint64_t address, const uint8_t *code, size_t bytes);
// How far the first direct call in `code` is, at most a few instructions.
size_t bytes_to_call(uint64_t address, const uint8_t *code, size_t bytes);
// The target of the first direct call in `code`; 0 if there is none soon.
uint64_t next_call(uint64_t address, const uint8_t *code, size_t bytes);

} // namespace dprof
