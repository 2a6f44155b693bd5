// Stage: collectors. What LLVM says of an instruction: its name, operands, and everything that it writes. What is
// not known by name is known by what it writes, so that an instruction nobody thought of makes a pointer unknown, and
// never a wrong one.
#include "instruction.h"

#ifdef __x86_64__
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>

#include <memory>
#include <string>

extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86Disassembler();
}
#endif

namespace dprof {

#ifdef __x86_64__
namespace {

using llvm::MCInst;
using llvm::MCInstrDesc;
using llvm::StringRef;

struct Machine {
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> processor;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  unsigned general[most_registers]; // by DWARF's number

  Machine() {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    const llvm::Triple triple("x86_64-pc-linux-gnu");
    std::string error;
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple.str(), error);
    if (!target) return;
    registers.reset(target->createMCRegInfo(triple.str()));
    assembly.reset(target->createMCAsmInfo(*registers, triple.str(), llvm::MCTargetOptions()));
    instructions.reset(target->createMCInstrInfo());
    processor.reset(target->createMCSubtargetInfo(triple.str(), "", ""));
    context = std::make_unique<llvm::MCContext>(triple, assembly.get(), registers.get(), processor.get());
    disassembler.reset(target->createMCDisassembler(*processor, *context));
    for (int i = 0; i < most_registers; i++) general[i] = registers->getLLVMRegNum((unsigned)i, false).value_or(0);
  }

  // Number of the 64-bit register that contains this one.
  int number_of(unsigned name) const {
    if (!name) return no_register;
    for (int i = 0; i < most_registers; i++)
      if (registers->regsOverlap(general[i], name)) return i;
    return no_register;
  }
};

Machine &machine() {
  static Machine only;
  return only;
}

// The first of the five operands of an address; -1: it has none.
int find_memory(const MCInst &instruction, const MCInstrDesc &description) {
  // LLVM does not call LEA's operands an address.
  if (machine().instructions->getName(instruction.getOpcode()) == "LEA64r") return 1;
  for (unsigned i = 0; i + 5 <= instruction.getNumOperands() && i < description.getNumOperands(); i++)
    if (description.operands()[i].OperandType == llvm::MCOI::OPERAND_MEMORY) return (int)i;
  return -1;
}

Memory read_memory(const MCInst &instruction, int at, uint64_t next) {
  const auto operand = [&](int i) { return instruction.getOperand((unsigned)(at + i)); };
  Memory memory;
  if (!operand(0).isReg() || !operand(1).isImm() || !operand(2).isReg() || operand(2).getReg() || !operand(3).isImm() ||
      operand(4).getReg())
    return memory;
  const bool is_of_code = StringRef(machine().registers->getName(operand(0).getReg())) == "RIP";
  memory.base = machine().number_of(operand(0).getReg());
  memory.is_known = is_of_code || memory.base != no_register || !operand(0).getReg();
  memory.offset = operand(3).getImm() + (is_of_code ? (int64_t)next : 0);
  return memory;
}

constexpr int64_t condition_equal = 4, condition_unequal = 5; // x86's

Instruction::Condition condition_of(const MCInst &instruction) {
  const auto last = instruction.getOperand(instruction.getNumOperands() - 1);
  return last.isImm() && last.getImm() == condition_equal     ? Instruction::equal
         : last.isImm() && last.getImm() == condition_unequal ? Instruction::unequal
                                                              : Instruction::whatever;
}

void name_kind(const MCInst &instruction, StringRef name, const MCInstrDesc &description, Instruction *to) {
  const auto number = [&](unsigned i) {
    return i < instruction.getNumOperands() && instruction.getOperand(i).isReg()
               ? machine().number_of(instruction.getOperand(i).getReg())
               : no_register;
  };
  const auto constant = [&](unsigned i) {
    return i < instruction.getNumOperands() && instruction.getOperand(i).isImm() ? instruction.getOperand(i).getImm()
                                                                                 : 0;
  };
  const auto set = [&](Instruction::Kind kind, int result, int operand, int64_t value = 0) {
    to->kind = kind;
    to->to = result;
    to->from = operand;
    to->constant = value;
  };
  if (name.starts_with("MOV64rr"))
    set(Instruction::copy, number(0), number(1));
  else if (name == "ADD64ri8" || name == "ADD64ri32")
    set(Instruction::add, number(0), number(1), constant(2));
  else if (name == "SUB64ri8" || name == "SUB64ri32")
    set(Instruction::add, number(0), number(1), -constant(2));
  else if (name == "ADD64i32" || name == "SUB64i32")
    set(Instruction::add, 0, 0, name[0] == 'A' ? constant(0) : -constant(0));
  else if (name == "INC64r" || name == "DEC64r")
    set(Instruction::add, number(0), number(1), name[0] == 'I' ? 1 : -1);
  else if (name == "LEA64r" && to->memory.is_known && to->memory.base != no_register)
    set(Instruction::add, number(0), to->memory.base, to->memory.offset);
  else if ((name.starts_with("XOR32rr") || name.starts_with("XOR64rr")) && number(1) == number(2))
    set(Instruction::zero, number(0), no_register);
  else if (name == "MOV32ri" && constant(1) == 0)
    set(Instruction::zero, number(0), no_register);
  else if (name == "MOV64rm" && to->memory.is_known)
    set(Instruction::load, number(0), no_register);
  else if (name == "MOV64mr" && to->memory.is_known)
    set(Instruction::store, no_register, number(5));
  else if (name == "TEST64rr" && number(0) == number(1))
    set(Instruction::compare, no_register, number(0));
  else if (name == "CMP64ri8" && constant(1) == 0)
    set(Instruction::compare, no_register, number(0));
  else if (name.starts_with("CMP64mi") && to->memory.is_known && constant(5) == 0)
    set(Instruction::compare, no_register, no_register);
  else if ((name.starts_with("ADD64mi") || name.starts_with("SUB64mi")) && to->memory.is_known)
    set(Instruction::add, no_register, no_register, name[0] == 'A' ? constant(5) : -constant(5));
  else if (name == "CMOV64rr")
    set(Instruction::choose, number(0), number(2));
  else if (name == "PUSH64r")
    set(Instruction::push, no_register, number(0));
  else if (name == "POP64r")
    set(Instruction::pop, number(0), no_register);
  else if (name == "LEAVE64")
    set(Instruction::leave, no_register, no_register);
  else if (description.isCall())
    set(Instruction::call, no_register, no_register);
  else if (description.isReturn())
    set(Instruction::leave_function, no_register, no_register);
  else if (description.isConditionalBranch())
    set(Instruction::branch, no_register, no_register);
  else if (description.isBranch() || description.isTerminator() || description.isTrap() || name == "HLT")
    set(Instruction::jump, no_register, no_register);
  if (to->kind == Instruction::choose || to->kind == Instruction::branch) to->condition = condition_of(instruction);
  const bool goes_on =
      to->kind == Instruction::branch || to->kind == Instruction::call || description.isUnconditionalBranch();
  if (goes_on && instruction.getNumOperands() > 0 && instruction.getOperand(0).isImm() &&
      to->memory.base == no_register)
    to->target = to->next + (uint64_t)instruction.getOperand(0).getImm();
}

} // namespace

std::optional<Instruction> decode_instruction(uint64_t address, const uint8_t *code, size_t bytes) {
  Machine &of = machine();
  if (!of.disassembler) return {};
  MCInst read;
  uint64_t length = 0;
  if (of.disassembler->getInstruction(read, length, llvm::ArrayRef<uint8_t>(code, bytes), address, llvm::nulls()) !=
          llvm::MCDisassembler::Success ||
      length == 0)
    return {};
  const MCInstrDesc &description = of.instructions->get(read.getOpcode());
  Instruction instruction;
  instruction.next = address + length;
  const int memory = find_memory(read, description);
  if (memory >= 0) instruction.memory = read_memory(read, memory, instruction.next);
  const bool makes_address = memory >= 0 && !description.mayLoad() && !description.mayStore(); // LEA
  for (unsigned i = 0; i < read.getNumOperands(); i++) {
    if (!read.getOperand(i).isReg() ||
        (memory >= 0 && !makes_address && i >= (unsigned)memory && i < (unsigned)memory + 5))
      continue;
    const int number = of.number_of(read.getOperand(i).getReg());
    if (number != no_register) (i < description.getNumDefs() ? instruction.writes : instruction.reads) |= 1u << number;
  }
  for (const llvm::MCPhysReg name : description.implicit_defs()) {
    const int number = of.number_of(name);
    if (number != no_register) instruction.writes |= 1u << number;
    instruction.writes_flags |= StringRef(of.registers->getName(name)) == "EFLAGS";
  }
  for (const llvm::MCPhysReg name : description.implicit_uses()) {
    const int number = of.number_of(name);
    if (number != no_register) instruction.reads |= 1u << number;
  }
  instruction.writes_memory = description.mayStore();
  name_kind(read, of.instructions->getName(read.getOpcode()), description, &instruction);
  return instruction;
}
#else
std::optional<Instruction> decode_instruction(uint64_t, const uint8_t *, size_t) { return {}; }
#endif

} // namespace dprof
