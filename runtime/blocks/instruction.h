// Stage: blocks. Bytes -> an instruction of a block: its text, its accesses, and whether a block may have it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <optional>
#include <string>
#include <vector>

namespace dprof {

constexpr int no_register = -1; // general registers have the processor's numbers

// Of a memory operand: as LEA takes it.
struct Address {
  int base = no_register, index = no_register;
  unsigned scale = 1;
  int32_t displacement = 0;
  bool is_of_code = false;  // the base is rip
  bool is_32_bit = false;   // an address-size prefix
  bool has_segment = false; // FS or GS
};

struct Access {
  Address address;
  unsigned bytes = 0;
  bool is_load = false, is_store = false;
  bool is_repeated = false; // rcx times, upwards
};

struct BlockInstruction {
  size_t bytes = 0;
  std::string att, intel;
  // The reason that no block may have it; empty: one may.
  const char *refusal = "";
  std::vector<Access> accesses;
  // Where its address of code keeps the displacement; 0: it has none.
  size_t displacement_at = 0;
  int32_t displacement = 0;
  // The widest vector state that it needs: 0 SSE and none, 1 AVX, 2 AVX-512.
  int width = 0;
  // For cutting blocks out of a function.
  bool ends_block = false, falls_through = true;
  std::optional<int64_t> branch; // from behind the instruction
};

// Nothing if the bytes are no instruction.
std::optional<BlockInstruction> decode_block_instruction(const uint8_t *code, size_t bytes);

} // namespace dprof
