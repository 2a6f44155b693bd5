// Stage: taker, sampler. A little of x86-64's encoding: moves of rax. On other machines only the result register is known.
#include "call_result.h"

#include <string.h>

namespace dprof {
namespace {

constexpr int dwarf_result = 0; // rax, and x0
// By the number in the instruction, of x86-64.
[[maybe_unused]] constexpr int dwarf_number[16] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

template <typename Number> Number read(const uint8_t *at) {
  Number number;
  memcpy(&number, at, sizeof number);
  return number;
}

} // namespace

std::vector<ResultPlace> places_of_result(uint64_t address, const uint8_t *code, size_t bytes) {
  std::vector<ResultPlace> places = {{ResultPlace::in_register, address, dwarf_result, 0, 0}};
#ifdef __x86_64__
  for (size_t at = 0; at + 16 <= bytes && places.size() < 4;) {
    const uint8_t prefix = code[at], mode = code[at + 2];
    const bool is_move = (prefix & 0xfe) == 0x48 && code[at + 1] == 0x89 && (mode >> 3 & 7) == 0; // mov %rax, ...
    if (!is_move) break;
    const int base = (mode & 7) | (prefix & 1) << 3;
    size_t length = 3;
    switch (mode >> 6) {
    case 3: places.push_back({ResultPlace::in_register, address + at + 3, dwarf_number[base], 0, 0}); break;
    case 0:
      if (base != 5) return places;
      length = 7; // to an address that counts from the next instruction
      places.push_back({ResultPlace::in_memory, address + at + 7, 0, 0, address + at + 7 + (uint64_t)(int64_t)read<int32_t>(code + at + 3)});
      break;
    default: {
      const bool has_index = (mode & 7) == 4, is_short = mode >> 6 == 1;
      if (has_index && code[at + 3] != 0x24) return places;
      const uint8_t *offset = code + at + 3 + has_index;
      length += has_index + (is_short ? 1 : 4);
      places.push_back({ResultPlace::on_frame, address + at + length, dwarf_number[base], is_short ? read<int8_t>(offset) : read<int32_t>(offset), 0});
    }
    }
    at += length;
  }
#else
  (void)code;
  (void)bytes;
#endif
  return places;
}

size_t bytes_to_call(uint64_t address, const uint8_t *code, size_t bytes) {
  constexpr size_t soon = 48;
  size_t at = places_of_result(address, code, bytes).back().from - address; // the moves are known as such, whatever bytes are in them
#ifdef __x86_64__
  while (at + 5 <= bytes && at < soon && code[at] != 0xe8) at++;
#else
  (void)code;
  (void)bytes;
  (void)soon;
#endif
  return at;
}

uint64_t next_call(uint64_t address, const uint8_t *code, size_t bytes) {
#ifdef __x86_64__
  const size_t at = bytes_to_call(address, code, bytes);
  if (at + 5 <= bytes && code[at] == 0xe8) return address + at + 5 + (uint64_t)(int64_t)read<int32_t>(code + at + 1);
#else
  (void)address;
  (void)code;
  (void)bytes;
#endif
  return 0;
}

} // namespace dprof
