// Stage: collectors. Bytes of code -> one instruction, as far as a pointer goes through it. LLVM's disassembler
// reads them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <optional>

namespace dprof {

// Registers have DWARF's numbers: 0 to 15 on x86-64.
constexpr int most_registers = 16, no_register = -1;
constexpr int longest_instruction = 16; // in bytes

struct Memory {
  bool is_known = false; // an address that is `base` and `offset`, or `offset` alone
  int base = no_register;
  int64_t offset = 0;
};

struct Instruction {
  enum Kind {
    other,
    copy,    // to = from
    add,     // to = from + constant; without `to`, of memory
    zero,    // to = 0
    load,    // to = memory
    store,   // memory = from
    compare, // from, or without it memory, with 0
    choose,  // to = from, if `condition`
    push,    // from
    pop,     // to
    leave,
    call,
    jump, // without `target`: unknown target
    branch,
    leave_function
  } kind = other;
  enum Condition { whatever, equal, unequal } condition = whatever;
  uint64_t next = 0;   // address of the one behind
  uint64_t target = 0; // of jumps and calls; 0: not in the instruction
  int to = no_register, from = no_register;
  int64_t constant = 0;
  Memory memory;
  uint32_t reads = 0,
           writes =
               0; // registers, as bits; of 64 bits or parts of them. Without those that only say where the memory is
  bool writes_memory = false, writes_flags = false;
};

// Decodes this machine's code. Nothing if the bytes are no instruction, or on a machine other than x86-64, whose code
// nobody reads.
std::optional<Instruction> decode_instruction(uint64_t address, const uint8_t *code, size_t bytes);

} // namespace dprof
