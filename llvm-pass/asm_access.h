// Stage: plugin, "decide". The memory operands of inline assembly -> a load, a store, or both, of the operand's type,
// as the constraints say: inputs are loaded, then outputs stored. Memory that the assembly reaches through registers is
// not seen.
#ifndef DPROF_PASS_ASM_ACCESS_H
#define DPROF_PASS_ASM_ACCESS_H

#include "access.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"

namespace dprof {

void addAsmOperands(const llvm::CallBase &Call, const llvm::InlineAsm &Asm, const llvm::DataLayout &Layout,
                    Decision &Result);

} // namespace dprof

#endif
