// Stage: blocks. LLVM's x86-64 is made once.
#include "instruction_set.h"

#include <stdlib.h>

extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86Disassembler();
void LLVMInitializeX86AsmParser();
}

namespace dprof {

InstructionSet::InstructionSet() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86Disassembler();
  LLVMInitializeX86AsmParser();
  std::string error;
  target = llvm::TargetRegistry::lookupTarget(triple.str(), error);
  if (!target) abort(); // this program is linked with it
  registers.reset(target->createMCRegInfo(triple.str()));
  assembly.reset(target->createMCAsmInfo(*registers, triple.str(), options));
  instructions.reset(target->createMCInstrInfo());
  processor.reset(target->createMCSubtargetInfo(triple.str(), "", ""));
  context = std::make_unique<llvm::MCContext>(triple, assembly.get(), registers.get(), processor.get());
  disassembler.reset(target->createMCDisassembler(*processor, *context));
  att.reset(target->createMCInstPrinter(triple, 0, *assembly, *instructions, *registers));
  intel.reset(target->createMCInstPrinter(triple, 1, *assembly, *instructions, *registers));
}

InstructionSet &instruction_set() {
  static InstructionSet only;
  return only;
}

} // namespace dprof
