// Stage: blocks. An address of code is the same in every copy: in a loop it would be. Where the block came from is not
// known, so the first such address is taken to be aligned to a line, and the others keep their distance from it.
//
// Before an access, in a copy that logs:
//     mov [DESK_SAVED], rax
//     lea rax, [the operand]
//     mov [the next slot], rax
//     mov rax, [DESK_SAVED]
// None of these changes a flag.
#include "unroll.h"

#include <string.h>

#include <algorithm>

namespace dprof {
namespace {

constexpr size_t code_budget = 12288, instruction_budget = 2000, most_copies = 1000;
constexpr uint64_t data_of_code = WINDOW + 0x2000000; // where addresses of code lead
constexpr uint64_t pages_of_code_data = 256;
constexpr size_t entry_bytes = 384;

} // namespace

Factors choose_factors(const Block &block) {
  const size_t by_bytes = code_budget / block.code.size(), by_count = instruction_budget / block.instructions.size();
  const size_t more = std::clamp(std::min(by_bytes, by_count), fewest_copies, most_copies);
  return {more, std::max<size_t>(more / 4, 1), std::max(more, naive_copies)};
}

struct Unroller::Cursor {
  SharedWindow &window;
  size_t at; // in the window

  bool has_room() const { return at + 256 < WINDOW_BYTES; }
  uint64_t address() const { return WINDOW + at; }
  void put(std::initializer_list<int> bytes) {
    for (const int byte : bytes) window.bytes[at++] = (uint8_t)byte;
  }
  template <typename Number> void put_number(Number number) {
    memcpy(window.bytes + at, &number, sizeof number);
    at += sizeof number;
  }
  void put_jump(uint64_t target) {
    put({0xe9});
    put_number((int32_t)(target - (address() + 4)));
  }
  // Of what XRSTOR has put there, too. `width`: as in BlockInstruction.
  void load_vector(int number, int width) {
    const int low = (number & 7) << 3 | 5;
    if (width == 0 && number < 8) put({0x0f, 0x10, low});
    if (width == 0 && number >= 8) put({0x44, 0x0f, 0x10, low});
    if (width == 1) put({0xc5, number < 8 ? 0xfc : 0x7c, 0x10, low});
    if (width == 2) put({0x62, 0x61 | (~number & 8) << 4 | (~number & 16), 0x7c, 0x48, 0x10, low});
    put_number((int32_t)(WINDOW + VECTORS - (address() + 4)));
  }
  void save_rax(uint64_t to) {
    put({0x48, 0xa3});
    put_number(to);
  }
  void load_rax(uint64_t from) {
    put({0x48, 0xa1});
    put_number(from);
  }
  void put_lea(const Address &address) {
    constexpr int none = 4, no_base = 5; // in the scale-index-base byte
    const int index = address.index == no_register ? none : address.index;
    const int base = address.base == no_register ? no_base : address.base;
    const int scale = address.scale == 8 ? 3 : address.scale == 4 ? 2 : address.scale == 2 ? 1 : 0;
    if (address.is_32_bit) put({0x67});
    put({0x48 | (index & 8) >> 2 | (address.base == no_register ? 0 : (base & 8) >> 3), 0x8d,
         address.base == no_register ? 0x04 : 0x84, scale << 6 | (index & 7) << 3 | (base & 7)});
    put_number(address.displacement);
  }
};

// All vector registers have one value. A register as XRSTOR leaves it costs some instructions that read it a cycle
// more, or none, from one time to the next; as a load leaves it, it does not.
uint64_t Unroller::put_entry(unsigned kind, size_t count) {
  const uint64_t copies = WINDOW + BLOCK + (all_ - count) * block_.code.size();
  if (!block_.has_vectors) return copies;
  Cursor cursor{window_, entries_ + kind * entry_bytes};
  const int width = block_.width == 2 && !window_.has_avx512 ? 1 : block_.width;
  const uint64_t entry = cursor.address();
  for (int number = 0; number < (width == 2 ? 32 : 16); number++) cursor.load_vector(number, width);
  cursor.put_jump(copies);
  return entry;
}

size_t Unroller::slots_of_copy() const {
  size_t slots = 0;
  for (const BlockInstruction &instruction : block_.instructions)
    for (const Access &access : instruction.accesses) slots += access.is_repeated ? 2 : 1;
  return slots;
}

size_t Unroller::logging_copy_at(uint64_t address) const {
  if (address < logging_entry_) return 0;
  return (size_t)(std::upper_bound(logging_copies_.begin(), logging_copies_.end(), address) - logging_copies_.begin());
}

bool Unroller::write(const Factors &factors, bool is_counted) {
  all_ = factors.all;
  Cursor cursor{window_, BLOCK};
  if (all_ * block_.code.size() > BLOCK_BYTES / 2 || all_ * slots_of_copy() > LOG_BYTES / 8) return false;
  for (size_t copy = 0; copy < all_; copy++) put_copy(cursor, false);
  cursor.put_jump(harness_address(is_counted ? dprof_harness_exit_counted : dprof_harness_exit_timed));
  cursor.at = (cursor.at + LINE - 1) / LINE * LINE;
  logging_entry_ = cursor.address();
  slot_ = 0;
  for (size_t copy = 0; copy < all_; copy++) {
    put_copy(cursor, true);
    if (!cursor.has_room()) return false;
    logging_copies_.push_back(cursor.address());
  }
  cursor.put_jump(harness_address(dprof_harness_exit_logged));
  entries_ = (cursor.at + LINE - 1) / LINE * LINE;
  return entries_ + KINDS * entry_bytes <= WINDOW_BYTES;
}

void Unroller::put_copy(Cursor &cursor, bool is_logging) {
  size_t at = 0;
  for (const BlockInstruction &instruction : block_.instructions) {
    if (!cursor.has_room()) return;
    if (is_logging) put_logging(cursor, instruction, at + instruction.bytes);
    put_instruction(cursor, at, instruction);
    at += instruction.bytes;
  }
}

// `end`: of the instruction in the block; `natural`: the address that the bytes as they are would mean.
uint64_t Unroller::target_of(size_t end, int32_t displacement, uint64_t natural) {
  const int64_t target = (int64_t)end + displacement;
  if (target >= 0 && target <= (int64_t)block_.code.size()) return natural; // in the block
  if (!has_target_) first_target_ = target;
  has_target_ = true;
  const uint64_t distance = (uint64_t)(target - first_target_);
  return data_of_code + distance % (pages_of_code_data * PAGE);
}

void Unroller::put_instruction(Cursor &cursor, size_t at, const BlockInstruction &instruction) {
  memcpy(window_.bytes + cursor.at, &block_.code[at], instruction.bytes);
  if (instruction.displacement_at != 0) {
    const uint64_t end = cursor.address() + instruction.bytes;
    const uint64_t target =
        target_of(at + instruction.bytes, instruction.displacement, end + (uint64_t)(int64_t)instruction.displacement);
    const int32_t displacement = (int32_t)(target - end);
    memcpy(window_.bytes + cursor.at + instruction.displacement_at, &displacement, sizeof displacement);
  }
  cursor.at += instruction.bytes;
}

void Unroller::put_logging(Cursor &cursor, const BlockInstruction &instruction, size_t end) {
  if (instruction.accesses.empty()) return;
  const auto log = [&] { cursor.save_rax(WINDOW + LOG + slot_++ * sizeof(uint64_t)); };
  cursor.save_rax(WINDOW + DESK + DESK_SAVED);
  bool is_saved = true;
  for (const Access &access : instruction.accesses) {
    if (!is_saved) cursor.load_rax(WINDOW + DESK + DESK_SAVED);
    if (access.address.is_of_code) {
      const uint64_t natural = WINDOW + BLOCK + end + (uint64_t)(int64_t)access.address.displacement;
      cursor.put({0x48, 0xb8});
      cursor.put_number(target_of(end, access.address.displacement, natural));
    } else {
      cursor.put_lea(access.address);
    }
    log();
    is_saved = false;
    if (!access.is_repeated) continue;
    Address count;
    count.base = 1; // rcx
    cursor.put_lea(count);
    log();
  }
  cursor.load_rax(WINDOW + DESK + DESK_SAVED);
}

} // namespace dprof
