// Stage: collectors. The code behind a call -> where the pointer that it returns goes, and what is added to it on
// the way.
//
// An allocator that puts something before the memory that it hands out returns another pointer than malloc did. Only
// the code says by how much: it is followed, path by path, to the end of the function. If a path cannot be followed,
// the result is unknown.
#pragma once

#include <stdint.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "instruction.h"

namespace dprof {

struct Value {
  enum Kind {
    other, // anything
    zero,
    result,  // the call's, and `offset` bytes
    derived, // computed from it in an unknown way
    frame    // of the canonical frame address, and `offset` bytes
  } kind = other;
  int64_t offset = 0;
  bool operator==(const Value &) const = default;
  auto operator<=>(const Value &) const = default;
};

// The values of registers and of the function's frame before the instruction at `address`.
struct Moment {
  uint64_t address = 0;
  Value registers[most_registers];
  std::map<int64_t, Value> slots;        // of 8 bytes, by their offset from the frame's address
  Value compared;                        // with 0; other: the flags are of something else
  bool frame_is_known_elsewhere = false; // calls may write to it

  // The value of 8 bytes of the frame, `offset` behind the address in the register.
  Value in_memory(int base, int64_t offset) const;
  auto operator<=>(const Moment &) const = default;
};

struct ResultFlow {
  std::vector<Moment>
      way; // to the first call: at each instruction, the call's own included. Where it could go two ways, straight on
  uint64_t called = 0; // address of that call's target, if the instruction has it
  std::map<uint64_t, int64_t>
      globals; // on that way: address of the variable -> offset from the result of what it is set to

  // Results for all paths to the function's end.
  bool is_complete = false;   // all were followed
  bool returns_other = false; // some return value is not known to be null or derived from the result
  bool keeps_derived = false; // a value computed from the result was stored in memory or returned
  std::set<int64_t> returned; // offsets from the result
  std::set<int64_t> kept;     // offsets of values that were stored in memory other than the frame

  // The function's return value, as an offset from the call's return value. None: unknown.
  std::optional<int64_t> returned_offset() const;
  // The same for the one pointer that outlives the function, returned or stored.
  std::optional<int64_t> kept_offset() const;
};

enum class CallEffect {
  unknown,
  returns_first_argument, // as memset does
  keeps_registers         // all registers except that of its result and r11 (preserve_most)
};

struct CodeToFollow {
  std::function<std::span<const uint8_t>(uint64_t address)> code_at; // code from there on; empty: the address is not in
                                                                     // the function
  std::function<CallEffect(const Instruction &call)> effect_of;
  int frame_register = no_register; // the canonical frame address is this register, and so many bytes, behind the call
  int64_t frame_offset = 0;
};

// `to_the_end`: follow the code to the function's end, not only to the first call.
ResultFlow follow_result(uint64_t return_address, const CodeToFollow &code, bool to_the_end);

} // namespace dprof
