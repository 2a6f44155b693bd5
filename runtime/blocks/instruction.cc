// Stage: blocks. What LLVM says of an instruction. Sizes of accesses are those that its Intel syntax prints
// ("qword ptr"), since its tables do not have them.
#include "instruction.h"

#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "instruction_set.h"
#include "refusals.h"

namespace dprof {
namespace {

using llvm::MCInst;
using llvm::MCInstrDesc;
using llvm::StringRef;

constexpr unsigned address_operands = 5;   // base, scale, index, displacement, segment
constexpr size_t longest_instruction = 15; // in bytes
constexpr int most_registers = 16;
constexpr int stack_pointer = 4, frame_pointer = 5, source_index = 6, destination_index = 7;

std::string spell(llvm::MCInstPrinter &printer, const MCInst &instruction) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printer.printInst(&instruction, 0, "", *instruction_set().processor, stream);
  std::replace(text.begin(), text.end(), '\t', ' ');
  const size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

bool is_prefix(std::string_view word) {
  constexpr std::string_view prefixes[] = {"rep",    "repe",   "repne",   "repz",     "repnz",    "lock",
                                           "data16", "addr32", "notrack", "xacquire", "xrelease", "rex64",
                                           "cs",     "ds",     "es",      "ss",       "fs",       "gs"};
  return std::find(std::begin(prefixes), std::end(prefixes), word) != std::end(prefixes) || word.starts_with('{');
}

std::string_view mnemonic_of(std::string_view intel) {
  for (;;) {
    const size_t end = intel.find(' ');
    const std::string_view word = intel.substr(0, end);
    if (!is_prefix(word) || end == std::string_view::npos) return word;
    intel.remove_prefix(intel.find_first_not_of(' ', end));
  }
}

bool is_repeated(std::string_view intel) {
  return intel.starts_with("rep ") || intel.starts_with("repe ") || intel.starts_with("repne ") ||
         intel.starts_with("repz ") || intel.starts_with("repnz ");
}

// 0: it does not say.
unsigned bytes_of_access(std::string_view intel) {
  constexpr std::pair<std::string_view, unsigned> sizes[] = {
      {"xmmword ptr", 16}, {"ymmword ptr", 32}, {"zmmword ptr", 64}, {"qword ptr", 8},
      {"dword ptr", 4},    {"tbyte ptr", 10},   {"byte ptr", 1},     {"word ptr", 2}};
  for (const auto &[text, bytes] : sizes)
    if (intel.find(text) != std::string_view::npos) return bytes;
  return 0;
}

int find_memory(const MCInst &instruction, const MCInstrDesc &description) {
  // To LLVM the operand of LEA, behind the register that it writes, is no memory.
  const StringRef name = instruction_set().instructions->getName(instruction.getOpcode());
  if (name.starts_with("LEA") && !name.starts_with("LEAVE")) return 1;
  for (unsigned i = 0; i + address_operands <= instruction.getNumOperands() && i < description.getNumOperands(); i++)
    if (description.operands()[i].OperandType == llvm::MCOI::OPERAND_MEMORY) return (int)i;
  return -1;
}

// Nothing if LEA cannot take it: its index is a vector.
std::optional<Address> address_of(const MCInst &instruction, unsigned at) {
  const llvm::MCRegisterInfo &registers = *instruction_set().registers;
  const auto name = [&](unsigned i) { return StringRef(registers.getName(instruction.getOperand(at + i).getReg())); };
  Address address;
  const unsigned base = instruction.getOperand(at).getReg(), index = instruction.getOperand(at + 2).getReg();
  for (const unsigned which : {0u, 2u}) {
    const StringRef text = name(which);
    if (text.starts_with("XMM") || text.starts_with("YMM") || text.starts_with("ZMM")) return {};
    if (text.starts_with("E") || text.ends_with("D")) address.is_32_bit = true;
  }
  address.is_of_code = name(0) == "RIP" || name(0) == "EIP";
  if (base && !address.is_of_code) address.base = registers.getEncodingValue(base);
  if (index && name(2) != "RIZ" && name(2) != "EIZ") address.index = registers.getEncodingValue(index);
  if (std::max(address.base, address.index) >= most_registers) return {}; // APX's, which LEA's short form lacks
  address.scale = (unsigned)instruction.getOperand(at + 1).getImm();
  const auto &displacement = instruction.getOperand(at + 3);
  if (!displacement.isImm()) return {};
  address.displacement = (int32_t)displacement.getImm();
  const StringRef segment = name(4);
  address.has_segment = segment == "FS" || segment == "GS";
  return address;
}

// Where the displacement of an address of code stands: behind the byte that says so, and nothing else changes with it.
size_t find_displacement(const uint8_t *code, size_t bytes, int32_t displacement) {
  constexpr uint8_t mode_mask = 0xc7, of_code = 0x05;
  for (size_t at = 1; at + 4 <= bytes; at++) {
    const uint32_t there =
        (uint32_t)code[at] | (uint32_t)code[at + 1] << 8 | (uint32_t)code[at + 2] << 16 | (uint32_t)code[at + 3] << 24;
    if ((int32_t)there == displacement && (code[at - 1] & mode_mask) == of_code) return at;
  }
  return 0;
}

Access stack_access(int64_t displacement, unsigned bytes, bool is_store) {
  Access access;
  access.address.base = stack_pointer;
  access.address.displacement = (int32_t)displacement;
  access.bytes = bytes;
  access.is_load = !is_store;
  access.is_store = is_store;
  return access;
}

Access string_access(int base, unsigned bytes, bool is_store, bool is_repeated) {
  Access access;
  access.address.base = base;
  access.bytes = bytes;
  access.is_load = !is_store;
  access.is_store = is_store;
  access.is_repeated = is_repeated;
  return access;
}

// The accesses that no operand says; false: these are not known.
bool add_implicit_accesses(StringRef name, std::string_view mnemonic, bool repeated, BlockInstruction *to) {
  const bool is_16_bit = name.contains("16");
  const unsigned word = is_16_bit ? 2 : 8;
  if (name.starts_with("PUSH")) {
    to->accesses.push_back(stack_access(-(int64_t)word, word, true));
  } else if (name.starts_with("POP") && !name.starts_with("POPCNT")) {
    to->accesses.insert(to->accesses.begin(), stack_access(0, word, false));
  } else if (name.starts_with("LEAVE")) {
    Access access = stack_access(0, 8, false);
    access.address.base = frame_pointer;
    to->accesses.push_back(access);
  } else if (mnemonic.size() == 5 &&
             (name.starts_with("MOVS") || name.starts_with("STOS") || name.starts_with("LODS") ||
              name.starts_with("SCAS") || name.starts_with("CMPS"))) {
    const char last = mnemonic.back();
    const unsigned bytes = last == 'b' ? 1 : last == 'w' ? 2 : last == 'd' ? 4 : 8;
    if (!name.starts_with("STOS") && !name.starts_with("SCAS"))
      to->accesses.push_back(string_access(source_index, bytes, false, repeated));
    if (!name.starts_with("LODS"))
      to->accesses.push_back(
          string_access(destination_index, bytes, name.starts_with("MOVS") || name.starts_with("STOS"), repeated));
  } else {
    return false;
  }
  return true;
}

// Mnemonics of vectors end in d too: "movsd xmm0, xmm1" is none of strings.
bool is_string_instruction(StringRef name) {
  constexpr StringRef names[] = {"MOVSB", "MOVSW", "MOVSL", "MOVSQ", "STOSB", "STOSW", "STOSL",
                                 "STOSQ", "LODSB", "LODSW", "LODSL", "LODSQ", "SCASB", "SCASW",
                                 "SCASL", "SCASQ", "CMPSB", "CMPSW", "CMPSL", "CMPSQ"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool changes_stack_by_itself(StringRef name) {
  return (name.starts_with("PUSH") || (name.starts_with("POP") && !name.starts_with("POPCNT")) ||
          name.starts_with("LEAVE"));
}

bool makes_no_access(StringRef name) {
  return name.starts_with("LEA") || name.starts_with("NOOP") || name.starts_with("PREFETCH") ||
         name.starts_with("CLDEMOTE");
}

// False: an access that is not known.
bool add_accesses(const MCInst &read, const MCInstrDesc &description, std::string_view mnemonic, BlockInstruction *to) {
  const StringRef name = instruction_set().instructions->getName(read.getOpcode());
  if (makes_no_access(name) && !name.starts_with("LEAVE")) return true;
  const int memory = find_memory(read, description);
  const bool is_string = is_string_instruction(name);
  if (memory >= 0) {
    const std::optional<Address> address = address_of(read, (unsigned)memory);
    Access access;
    access.bytes = bytes_of_access(to->intel);
    access.is_load = description.mayLoad();
    access.is_store = description.mayStore();
    if (changes_stack_by_itself(name)) {
      access.is_load = name.starts_with("PUSH");
      access.is_store = !access.is_load;
    } else if (!access.is_load && !access.is_store) {
      access.is_load = true;
    }
    if (!address || access.bytes == 0) return false;
    access.address = *address;
    // What POP writes is addressed with the stack pointer behind it.
    if (name.starts_with("POP") && address->base == stack_pointer)
      access.address.displacement += name.contains("16") ? 2 : 8;
    to->accesses.push_back(access);
  }
  if (is_string || changes_stack_by_itself(name))
    return add_implicit_accesses(name, mnemonic, is_repeated(to->intel), to);
  return memory >= 0 || (!description.mayLoad() && !description.mayStore()) || description.isCall() ||
         description.isReturn() || name == "MFENCE" || name == "LFENCE" || name == "SFENCE" || name == "WAIT" ||
         name == "MMX_EMMS" || name.starts_with("VZERO") || name == "PAUSE" || name.starts_with("FNST") ||
         name == "FNCLEX" || name == "FNINIT" || name.ends_with("_F0") || name.ends_with("_FST0r") ||
         name.ends_with("_FrST0") || name.ends_with("_FPrST0");
}

void set_flow(const MCInst &read, const MCInstrDesc &description, std::string_view mnemonic, BlockInstruction *to) {
  const bool is_loop =
      mnemonic.starts_with("loop") || mnemonic == "jecxz" || mnemonic == "jrcxz" || mnemonic == "xbegin";
  const bool is_trap =
      mnemonic == "int3" || mnemonic == "int1" || mnemonic == "icebp" || mnemonic == "xabort" || mnemonic == "xend";
  to->ends_block = description.isBranch() || description.isCall() || description.isReturn() ||
                   description.isTerminator() || description.isBarrier() || is_loop || is_trap;
  if (!to->ends_block) return;
  to->falls_through = description.isConditionalBranch() || description.isCall() || is_loop || mnemonic == "xend";
  if ((description.isBranch() || is_loop) && !description.isIndirectBranch() && read.getNumOperands() > 0 &&
      read.getOperand(0).isImm())
    to->branch = read.getOperand(0).getImm();
  if (!*to->refusal) to->refusal = is_trap && mnemonic.starts_with("i") ? "trap" : "control-flow";
}

int width_of(const BlockInstruction &instruction, const uint8_t *code, StringRef name) {
  constexpr uint8_t evex = 0x62, vex_2 = 0xc5, vex_3 = 0xc4, segment_fs = 0x64, segment_gs = 0x65, address_size = 0x67;
  size_t at = 0;
  while (at + 1 < instruction.bytes && (code[at] == segment_fs || code[at] == segment_gs || code[at] == address_size))
    at++;
  if (code[at] == evex || name.starts_with("K")) return 2;
  return code[at] == vex_2 || code[at] == vex_3 ? 1 : 0;
}

// LLVM reads some prefixes alone. One at a block's end would belong to the next copy, and is none.
std::optional<BlockInstruction> put_prefix(const BlockInstruction &prefix, const uint8_t *code, size_t bytes) {
  std::optional<BlockInstruction> instruction = decode_block_instruction(code, bytes);
  if (!instruction || prefix.bytes + instruction->bytes > longest_instruction) return {};
  instruction->bytes += prefix.bytes;
  instruction->att = prefix.att + ' ' + instruction->att;
  instruction->intel = prefix.intel + ' ' + instruction->intel;
  if (instruction->displacement_at != 0) instruction->displacement_at += prefix.bytes;
  return instruction;
}

} // namespace

std::optional<BlockInstruction> decode_block_instruction(const uint8_t *code, size_t bytes) {
  InstructionSet &of = instruction_set();
  MCInst read;
  uint64_t length = 0;
  if (of.disassembler->getInstruction(read, length, llvm::ArrayRef<uint8_t>(code, bytes), 0, llvm::nulls()) !=
          llvm::MCDisassembler::Success ||
      length == 0 || length > bytes)
    return {};
  const MCInstrDesc &description = of.instructions->get(read.getOpcode());
  const StringRef name = of.instructions->getName(read.getOpcode());
  BlockInstruction instruction;
  instruction.bytes = length;
  instruction.att = spell(*of.att, read);
  instruction.intel = spell(*of.intel, read);
  const std::string_view mnemonic = mnemonic_of(instruction.intel);
  if (is_prefix(mnemonic)) return put_prefix(instruction, code + length, bytes - length);
  instruction.refusal = refusal_of(mnemonic);
  set_flow(read, description, mnemonic, &instruction);
  instruction.width = width_of(instruction, code, name);
  if (!*instruction.refusal && !add_accesses(read, description, mnemonic, &instruction))
    instruction.refusal = "addresses-unknown";
  const int memory = find_memory(read, description);
  if (memory >= 0) {
    const std::optional<Address> address = address_of(read, (unsigned)memory);
    if (address && address->is_of_code) {
      instruction.displacement = address->displacement;
      instruction.displacement_at = find_displacement(code, length, address->displacement);
      if (instruction.displacement_at == 0 && !*instruction.refusal) instruction.refusal = "addresses-unknown";
    }
  }
  return instruction;
}

} // namespace dprof
